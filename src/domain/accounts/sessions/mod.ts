/** Web sessions: signing in, signing out, and listing a user's sessions. */

export { endOtherSessions, endSession, providerSession } from "./end_session.ts";
export { listSessions, type UserSession } from "./list_sessions.ts";
export {
  beginSecondStep,
  finishByCode,
  finishByPasskey,
  readSecondStep,
  type SecondStep,
  signInByPasskey,
} from "./second_step.ts";
export { SIGN_IN_LINK_PATH, signInByLink, signInLink } from "./sign_in_link.ts";
export {
  openProxiedSession,
  openSession,
  recordFailedSignIn,
  type StartedSession,
  startSession,
} from "./start_session.ts";
