/** Authentication (tokens, sessions, passwords) and authorization (permissions as restrictions on rows). */

export {
  type AccessToken,
  accountOfUser,
  ACTOR_CACHE_MS,
  clearActorCache,
  dropActors,
  type VerifyAccessToken,
} from "./accounts.ts";
export { isKey, KEY_CHARS, passwordFault } from "../base/credential_rules.ts";
export { inNetworks, isWithin, readNetwork } from "../base/addresses.ts";
export { actorOf, authenticate, flushTokenUses, hashKey, unauthenticated } from "./authenticate.ts";
export { beginAttempt, shareAttempts } from "./sign_in_attempts.ts";
export * from "./context.ts";
export { actionsOn, canonicalAction, isObjectType, OBJECT_TYPES, type ObjectType } from "./object_types.ts";
export { grantedRows, isOpen, MAX_ACTOR_COMPARISONS, permittedIds } from "./restrict.ts";
export { divideHashSlots, hashPassword, verifyPassword } from "./passwords.ts";
export * from "./restrict.ts";
export { isSigned, seal, serviceKey, signText, unseal, useOnce } from "./sealed.ts";
export {
  ENVIRONMENT_PROVIDER,
  LOCAL_ONLY,
  mustAddSecondFactor,
  type OidcProvider,
  type SignInSettings,
} from "./sign_in_settings.ts";
export {
  actorOfSession,
  awaitsSecondFactor,
  type ListPreferences,
  readSession,
  type Session,
  sessionCookieName,
} from "./sessions.ts";
export { type KnownUser, passwordMark, type SignIn, signIn } from "./sign_in.ts";
export { matchingStep, newTotpSecret, totpUri } from "./totp.ts";
