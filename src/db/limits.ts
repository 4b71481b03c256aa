/** Limits of the database clients, with unit and reason. */

/** Statements that each connection keeps prepared; the service has some hundreds, filters make more. */
export const PREPARED_STATEMENTS = 500;
/** Characters of the values that these keep in memory: each keeps the last ones. A statement with more is not kept. */
export const MAX_KEPT_CHARS = 4 * 1024 * 1024;
/** Cached statements that write rows of one table: one for each set of columns. */
export const STATEMENT_TEXTS = 100;
/** Long reads that run at a time, each on a separate connection and thread, and how many of them one user may have. */
export const BACKGROUND_CONNECTIONS = 2;
export const BACKGROUND_SHARE = 1;
/** Milliseconds from which a run of a statement of background work counts as slow: to change threads costs a fifth. */
export const SLOW_JOB_STATEMENT_MS = 1;
/** Other reads of background work that run at a time: they are not urgent, but must not wait for long reads. */
export const JOB_CONNECTIONS = 1;
/** Long reads that wait for a connection, and how many of them one user has; further ones are refused. */
export const MAX_WAITING_READS = 200;
export const WAITING_SHARE = 50;
/** Statements of a background connection, all of which stay prepared, until it is replaced. */
export const MAX_BACKGROUND_STATEMENTS = 200;
/** Milliseconds from which a run of a statement counts as slow. */
export const SLOW_STATEMENT_MS = 25;
/**
 * A slow run of a statement adds one to its count, a fast run subtracts a part of that; from this count on, the
 * statement runs in the background. On a busy machine any statement may be slow now and then, but rarely the same one
 * repeatedly.
 */
export const SLOW_RUNS = 2;
export const OTHER_RUN = 0.25;
/** Maximum of that count; it decides how often a slow statement must be fast before it is forgotten. */
export const MAX_SLOW_RUNS = 3;
/** Slow statements that are remembered. */
export const SLOW_STATEMENTS = 500;
/** Number of rows from which a statement binds the columns that are equal in all rows only once. */
export const SHARING_ROWS = 20;
/** How long one write attempt waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 2_000;
/** Attempts of a write that another process's lock prevents. */
export const WRITE_ATTEMPTS = 5;
/** Age from which a replica is synchronized in the background while it still serves reads, in milliseconds. */
export const REPLICA_FRESH_MS = 300;
/** Maximum age of a replica while its server is available; five seconds together with the actor cache. */
export const REPLICA_MAX_AGE_MS = 1_000;
/** How long a read waits for the synchronization of a replica before it goes to the server, in milliseconds. */
export const REPLICA_PATIENCE_MS = 1_000;
/**
 * Writes that wait for earlier ones in one process, the running one not included: further ones are refused. A small
 * write takes 2 ms, so that the last one has waited for a few seconds.
 */
export const MAX_WAITING_WRITES = 1_000;
/** How long a worker process goes on writing while another one waits, in milliseconds: a few small writes. */
export const WRITE_TURN_MS = 10;
/**
 * Short writes that share a transaction, and how long it admits further ones, in milliseconds: a dozen, so that the COMMIT
 * is a small part of each. The first one waits; other requests run in between.
 */
export const GROUP_WRITES = 32;
export const GROUP_MS = 25;
/**
 * One in this many single writes waits one or two milliseconds for further writes, to find out whether there are any;
 * just after writes that shared a transaction, more of them do.
 */
export const ALONE_GROUPS = 64;
