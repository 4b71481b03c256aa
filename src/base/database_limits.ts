/** How long databases are waited for, and how old their copies may be. */

/** How long a write waits for another process's lock before it is given up and retried. */
export const BUSY_TIMEOUT_MS = 2_000;
/** How often a write that lost against another process is tried again. */
export const WRITE_ATTEMPTS = 5;
/** Seconds after which a client may try again what a database out of reach, or full, has prevented. */
export const RETRY_AFTER_S = 5;
/** Seconds that a database server may take to answer one request: a person still waits for a page that long. */
export const DATABASE_TIMEOUT_S = 5;
/** How long `/readyz` waits for the database, in milliseconds: probes usually give up after two seconds. */
export const READINESS_TIMEOUT_MS = 1_500;
/** How long `certmgr health` waits for an answer, in milliseconds: less than container engines do. */
export const HEALTH_TIMEOUT_MS = 4_000;
/** Age from which a replica is brought up to date beside the reads that it still answers, in milliseconds. */
export const REPLICA_FRESH_MS = 300;
/** Age up to which a replica answers while its server does; with that of remembered actors, five seconds. */
export const REPLICA_MAX_AGE_MS = 1_000;
/**
 * Seconds up to which a replica answers while its server does not. It bridges a restart of the server, and is the
 * longest that a token which was revoked elsewhere stays valid on a node that is cut off.
 */
export const REPLICA_STALE_S = 60;
/** How long a read waits for a replica to be brought up to date before the server is asked itself. */
export const REPLICA_PATIENCE_MS = 1_000;
