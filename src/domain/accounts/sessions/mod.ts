/** Web sessions: signing in and out, and what a user may see of his own. */

export { endOtherSessions, endSession } from "./end_session.ts";
export { listSessions, type OwnSession } from "./list_sessions.ts";
export { startSession } from "./start_session.ts";
