/** Limits of the database clients, with unit and reason. */

/**
 * Number of statements that each connection keeps prepared. The service has a few hundred, and filters add
 * more.
 */
export const PREPARED_STATEMENTS = 500;
/**
 * Maximum number of characters of values that these keep in memory, because each keeps its last ones. A
 * statement with more is not kept.
 */
export const MAX_KEPT_CHARS = 4 * 1024 * 1024;
/** Maximum number of cached statements that write rows of a table: one for each set of columns. */
export const STATEMENT_TEXTS = 100;
/**
 * Number of long reads that run at the same time, each on its own connection and thread, and the maximum of
 * them per user.
 */
export const BACKGROUND_CONNECTIONS = 2;
export const BACKGROUND_SHARE = 1;
/**
 * Number of milliseconds from which a run of a statement of background work counts as slow, because changing
 * threads costs a fifth of it.
 */
export const SLOW_JOB_STATEMENT_MS = 1;
/**
 * Number of other reads of background work that run at the same time. They are not urgent, but must not wait
 * for long reads.
 */
export const JOB_CONNECTIONS = 1;
/** Maximum number of long reads that wait for a connection, in total and per user. More are refused. */
export const MAX_WAITING_READS = 200;
export const WAITING_SHARE = 50;
/**
 * Number of statements after which a background connection is replaced, because all of them stay prepared.
 */
export const MAX_BACKGROUND_STATEMENTS = 200;
/** Number of milliseconds from which a run of a statement counts as slow. */
export const SLOW_STATEMENT_MS = 25;
/**
 * A slow run of a statement adds one to its count, and a fast run subtracts a part of that. From this count
 * on, the statement runs in the background. On a busy machine any statement may be slow now and then, but
 * rarely the same one repeatedly.
 */
export const SLOW_RUNS = 2;
export const OTHER_RUN = 0.25;
/** Maximum of that count. It decides how often a slow statement must be fast before it is forgotten. */
export const MAX_SLOW_RUNS = 3;
/** Maximum number of slow statements that are recorded. */
export const SLOW_STATEMENTS = 500;
/** Number of rows from which a statement binds a column only once if it is equal in all rows. */
export const SHARING_ROWS = 20;
/** How long a write attempt waits for another process's lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 2_000;
/** Number of attempts of a write while another process holds the lock. */
export const WRITE_ATTEMPTS = 5;
/** Age in milliseconds from which a replica is synchronized in the background while it still serves reads. */
export const REPLICA_FRESH_MS = 300;
/**
 * Maximum age of a replica in milliseconds while its server is available: five seconds together with the
 * actor cache.
 */
export const REPLICA_MAX_AGE_MS = 1_000;
/** How long a read waits for the synchronization of a replica before it uses the server, in milliseconds. */
export const REPLICA_PATIENCE_MS = 1_000;
/**
 * Maximum number of writes that wait for earlier ones in a process, without the running one. More are
 * refused. A small write takes 2 ms, so the last one has waited for a few seconds.
 */
export const MAX_WAITING_WRITES = 1_000;
/**
 * How long a worker process may continue to write while another one waits, in milliseconds: about twenty small
 * writes. After each change of the process SQLite reads its pages again, which doubles the cost of a write.
 */
export const WRITE_TURN_MS = 60;
/** How long its turn continues without a write, in milliseconds: until its clients have sent their next ones. */
export const WRITE_PAUSE_MS = 10;
/**
 * Maximum number of short writes that share a transaction, and how long it accepts more, in milliseconds: a
 * dozen, so that the COMMIT is a small part of each. The first one waits for the others, and other requests
 * run in between.
 */
export const GROUP_WRITES = 32;
export const GROUP_MS = 25;
/**
 * One in this many single writes waits a millisecond or two for other writes, to detect whether there are
 * any. Just after writes that shared a transaction, more of them wait.
 */
export const ALONE_GROUPS = 64;
