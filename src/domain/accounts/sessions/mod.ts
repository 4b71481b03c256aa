/** Web sessions: signing in, signing out, and the list of one's sessions. */

export { endOtherSessions, endSession } from "./end_session.ts";
export { listSessions, type OwnSession } from "./list_sessions.ts";
export { startSession } from "./start_session.ts";
