/** Authentication (tokens, sessions, passwords) and authorization (permissions as restrictions on rows). */

export {
  type AccessToken,
  accountOfUser,
  ACTOR_CACHE_MS,
  clearActorCache,
  type VerifyAccessToken,
} from "./accounts.ts";
export { isKey, KEY_CHARS, passwordFault } from "../base/credential_rules.ts";
export { inNetworks, isWithin, readNetwork } from "../base/addresses.ts";
export { actorOf, authenticate, flushTokenUses, hashKey, unauthenticated } from "./authenticate.ts";
export * from "./context.ts";
export { actionsOn, canonicalAction, isObjectType, OBJECT_TYPES, type ObjectType } from "./object_types.ts";
export { divideHashSlots, hashPassword, verifyPassword } from "./passwords.ts";
export * from "./restrict.ts";
export { isSigned, seal, serviceKey, signText, unseal, useOnce } from "./sealed.ts";
export {
  actorOfSession,
  awaitsSecondFactor,
  type ListPreferences,
  type Preferences,
  readSession,
  type Session,
  sessionCookieName,
} from "./sessions.ts";
export { beginAttempt, type KnownUser, passwordMark, shareAttempts, type SignIn, signIn } from "./sign_in.ts";
