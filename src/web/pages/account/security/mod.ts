/** The pages about a user's second factors. Users without a required one see only these pages. */

import { ID, type Route } from "../../../call.ts";
import { removeAppForm, removeAppPage, setUpAppForm, setUpAppPage } from "./app.tsx";
import { securityPage } from "./overview.tsx";
import { SECURITY_PATH } from "./parts.tsx";
import { addPasskeyForm, addPasskeyPage, removePasskeyForm, removePasskeyPage } from "./passkeys.tsx";
import { recoveryCodesForm, recoveryCodesPage } from "./recovery_codes.tsx";

export { SECURITY_PATH } from "./parts.tsx";

/** Every page, with the action of its form. */
const PAGES = [
  ["app/", setUpAppPage, setUpAppForm],
  ["app/remove/", removeAppPage, removeAppForm],
  ["passkeys/new/", addPasskeyPage, addPasskeyForm],
  [`passkeys/${ID}/remove/`, removePasskeyPage, removePasskeyForm],
  ["recovery-codes/", recoveryCodesPage, recoveryCodesForm],
] as const;

export const securityRoutes: readonly Route[] = [
  { method: "GET" as const, path: SECURITY_PATH, handle: securityPage },
  ...PAGES.flatMap(([path, show, act]) => [
    { method: "GET" as const, path: SECURITY_PATH + path, handle: show },
    { method: "POST" as const, path: SECURITY_PATH + path, handle: act },
  ]),
].map((route) => ({ ...route, beforeSecondFactor: true }));
