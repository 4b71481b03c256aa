/** Signing in and out, and a user's own settings: password, second factors, sessions, API tokens, theme. */

import { exportAuditEvents } from "./export_audit.ts";
import { ID, type PublicRoute, type Route } from "../../call.ts";
import { changeOwnPassword } from "./change_password.ts";
import {
  beginProviderSignIn,
  CALLBACK_PATH,
  finishProviderSignIn,
  linkForm,
  linkPage,
  OWN_CALLBACK_PATH,
} from "./oidc.tsx";
import { SIGN_IN_LINK_PATH } from "../../../domain/accounts/sessions/mod.ts";
import { profilePage } from "./profile.tsx";
import { resetUserSecondFactor } from "./reset_second_factor.ts";
import { revokeOtherSessions, revokeSession } from "./session_list.tsx";
import {
  PASSKEY_PATH,
  passkeyForm,
  SECOND_STEP_PATH,
  secondStepForm,
  secondStepPage,
} from "./second_step.tsx";
import { securityRoutes } from "./security/mod.ts";
import { signInForm, signInPage } from "./sign_in.tsx";
import { signOut } from "./sign_out.tsx";
import { changeTimeZone } from "./change_time_zone.ts";
import { TIME_ZONE_PATH } from "./time_zone.tsx";
import { changeTheme } from "./theme.ts";
import { createOwnToken, revokeOwnToken, visitToken } from "./token_actions.tsx";

export { SECURITY_PATH } from "./security/mod.ts";

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
  { method: "GET", path: SIGN_IN_LINK_PATH, handle: linkPage },
  { method: "POST", path: SIGN_IN_LINK_PATH, handle: linkForm },
];

/** Pages of signed-in users. */
export const accountRoutes: readonly Route[] = [
  { method: "POST", path: "/sign-out/", handle: signOut, beforeSecondFactor: true },
  { method: "POST", path: "/theme/", handle: changeTheme, beforeSecondFactor: true },
  { method: "GET", path: "/profile/", handle: (call) => profilePage(call) },
  { method: "POST", path: "/profile/password/", handle: changeOwnPassword },
  { method: "POST", path: TIME_ZONE_PATH, handle: changeTimeZone },
  { method: "POST", path: "/profile/tokens/", handle: createOwnToken },
  { method: "POST", path: `/profile/tokens/${ID}/revoke/`, handle: revokeOwnToken },
  { method: "GET", path: `/tokens/${ID}/`, handle: visitToken },
  { method: "POST", path: `/profile/sessions/${ID}/end/`, handle: revokeSession },
  { method: "POST", path: "/profile/sessions/end-others/", handle: revokeOtherSessions },
  { method: "POST", path: `/users/${ID}/reset-second-factor/`, handle: resetUserSecondFactor },
  { method: "GET", path: "/audit-events/export/", handle: exportAuditEvents },
  ...securityRoutes,
];
