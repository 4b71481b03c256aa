/** Authentication (tokens, sessions, passwords) and authorization (permissions as restrictions on rows). */

export { type AccountSource, clearActorCache } from "./actor_cache.ts";
export { inNetworks, isWithin, readNetwork } from "../base/addresses.ts";
export {
  actorOf,
  authenticate,
  type Credentials,
  hashKey,
  isKey,
  KEY_CHARS,
  unauthenticated,
} from "./authenticate.ts";
export { beginAttempt } from "./sign_in_attempts.ts";
export * from "./context.ts";
export { flushTokenUses } from "./last_used.ts";
export { actionsOn, canonicalAction, isObjectType, OBJECT_TYPES, type ObjectType } from "./object_types.ts";
export { hashPassword, passwordFault, verifyPassword } from "./passwords.ts";
export { permittedIds } from "./permitted.ts";
export * from "./restrict.ts";
export { actorOfSession, readSession, type Session, sessionCookieName } from "./sessions.ts";
export { type SignIn, signIn } from "./sign_in.ts";
