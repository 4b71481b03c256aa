/** Signing in and out, and a user's own settings: password, second factors, sessions, API tokens. */

import { ID, type PublicRoute, type Route } from "../../call.ts";
import {
  beginProviderSignIn,
  CALLBACK_PATH,
  finishProviderSignIn,
  OWN_CALLBACK_PATH,
  signOut,
} from "./oidc.tsx";
import {
  PASSKEY_PATH,
  passkeyForm,
  SECOND_STEP_PATH,
  secondStepForm,
  secondStepPage,
  signInForm,
  signInPage,
} from "./sign_in.tsx";
import { profilePage } from "./profile.tsx";
import {
  changeDisplay,
  changeOwnPassword,
  createOwnToken,
  revokeOtherSessions,
  revokeOwnToken,
  revokeSession,
  visitToken,
} from "./profile_actions.tsx";
import { securityRoutes } from "./security.tsx";

export { SECURITY_PATH } from "./second_factors.tsx";

/** Pages without sign-in. */
export const accountPublicRoutes: readonly PublicRoute[] = [
  { method: "GET", path: "/sign-in/", handle: signInPage },
  { method: "POST", path: "/sign-in/", handle: signInForm },
  { method: "GET", path: SECOND_STEP_PATH, handle: secondStepPage },
  { method: "POST", path: SECOND_STEP_PATH, handle: secondStepForm },
  { method: "POST", path: PASSKEY_PATH, handle: passkeyForm },
  { method: "GET", path: "/sign-in/begin/:provider{[a-z0-9-]+}/", handle: beginProviderSignIn },
  { method: "GET", path: CALLBACK_PATH, handle: finishProviderSignIn },
  { method: "GET", path: OWN_CALLBACK_PATH, handle: finishProviderSignIn },
];

/** Pages of signed-in users. */
export const accountRoutes: readonly Route[] = [
  { method: "POST", path: "/sign-out/", handle: signOut, beforeSecondFactor: true },
  { method: "GET", path: "/profile/", handle: (call) => profilePage(call) },
  { method: "POST", path: "/profile/password/", handle: changeOwnPassword },
  { method: "POST", path: "/profile/display/", handle: changeDisplay },
  { method: "POST", path: "/profile/tokens/", handle: createOwnToken },
  { method: "POST", path: `/profile/tokens/${ID}/revoke/`, handle: revokeOwnToken },
  { method: "GET", path: `/tokens/${ID}/`, handle: visitToken },
  { method: "POST", path: `/profile/sessions/${ID}/end/`, handle: revokeSession },
  { method: "POST", path: "/profile/sessions/end-others/", handle: revokeOtherSessions },
  ...securityRoutes,
];
