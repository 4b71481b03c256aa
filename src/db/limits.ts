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
/** How long a write attempt waits for another process's lock, in milliseconds. */
export const BUSY_TIMEOUT_MS = 2_000;
/** Number of attempts of a write while another process holds the lock. */
export const WRITE_ATTEMPTS = 5;
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
/** Pause after a turn, in milliseconds, in which a waiting process takes the next one. */
export const YIELD_MS = 1;
