/** Signing in and out, and a user's own settings: password, sessions, API tokens, theme. */

import { ID, type PublicCall, type Route } from "../call.ts";
import { changeOwnPassword } from "./change_password.ts";
import { profilePage } from "./profile.tsx";
import { revokeOtherSessions, revokeSession } from "./session_list.tsx";
import { signInForm, signInPage } from "./sign_in.tsx";
import { signOut } from "./sign_out.ts";
import { changeTheme } from "./theme.ts";
import { createOwnToken, revokeOwnToken } from "./token_actions.tsx";

/** Pages for everybody. */
export const publicRoutes: readonly {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handle: (call: PublicCall) => Response | Promise<Response>;
}[] = [
  { method: "GET", path: "/sign-in/", handle: signInPage },
  { method: "POST", path: "/sign-in/", handle: signInForm },
];

/** Pages of signed-in users. */
export const accountRoutes: readonly Route[] = [
  { method: "POST", path: "/sign-out/", handle: signOut },
  { method: "POST", path: "/theme/", handle: changeTheme },
  { method: "GET", path: "/profile/", handle: (call) => profilePage(call) },
  { method: "POST", path: "/profile/password/", handle: changeOwnPassword },
  { method: "POST", path: "/profile/tokens/", handle: createOwnToken },
  { method: "POST", path: `/profile/tokens/${ID}/revoke/`, handle: revokeOwnToken },
  { method: "POST", path: `/profile/sessions/${ID}/end/`, handle: revokeSession },
  { method: "POST", path: "/profile/sessions/end-others/", handle: revokeOtherSessions },
];
