/** Time limits of database access, and the maximum age of replicas. */

/** How long one write attempt waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 2_000;
/** Attempts of a write that another process's lock prevents. */
export const WRITE_ATTEMPTS = 5;
/** `Retry-After` in seconds while the database is unavailable or its disk full. */
export const RETRY_AFTER_S = 5;
/** Time limit of a database server's response, in seconds: as long as a user waits for a page. */
export const DATABASE_TIMEOUT_S = 5;
/** How long `/readyz` waits for the database, in milliseconds: probes usually give up after two seconds. */
export const READINESS_TIMEOUT_MS = 1_500;
/** How long `certmgr health` waits for a response, in milliseconds: less than container engines do. */
export const HEALTH_TIMEOUT_MS = 4_000;
/** Age from which a replica is synchronized in the background while it still serves reads, in milliseconds. */
export const REPLICA_FRESH_MS = 300;
/** Maximum age of a replica while its server is available; five seconds together with the actor cache. */
export const REPLICA_MAX_AGE_MS = 1_000;
/**
 * Maximum age of a replica while its server is unavailable, in seconds. It bridges a restart of the server; a token
 * that was revoked elsewhere stays valid at most this long on a disconnected node.
 */
export const REPLICA_STALE_S = 60;
/** How long a read waits for the synchronization of a replica before it goes to the server, in milliseconds. */
export const REPLICA_PATIENCE_MS = 1_000;
