/** Second factors of local accounts: passkeys, authenticator apps, recovery codes. */

export { addApp, beginApp, type NewApp, removeApp, resumeApp } from "./authenticator_app.ts";
export { checkCode } from "./check_code.ts";
export { changeFactors, removeAll, type SecondFactors, secondFactorsOf } from "./factors.ts";
export {
  addPasskey,
  beginPasskey,
  checkPasskey,
  type PasskeyRequest,
  removePasskey,
  requestPasskey,
} from "./passkeys.ts";
export { RECOVERY_CODES } from "./recovery_codes.ts";
export { renewRecoveryCodes } from "./renew_recovery_codes.ts";
export { rpIdOf } from "./webauthn.ts";
