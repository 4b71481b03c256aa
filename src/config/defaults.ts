/** Defaults of the settings that are limits, with unit and reason. */

/**
 * Maximum size of a request body in bytes. A bulk call with 100 certificates and chains stays below 2 MiB.
 */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Number of rows per page if the request has no limit. */
export const DEFAULT_PAGE_SIZE = 50;
/** Maximum number of rows per page; `limit=0` requests this many. */
export const MAX_PAGE_SIZE = 1_000;
/** Maximum number of API tokens per user: enough for any use, and few enough to revoke them one by one. */
export const MAX_TOKENS_PER_USER = 50;
/** Maximum number of calendar feeds per user, for the same reason. */
export const MAX_FEEDS_PER_USER = 50;
/** Days for which the change log is kept. 0 means forever, because it is the history of the inventory. */
export const CHANGELOG_RETENTION_DAYS = 0;
/** Time of day (UTC) of the daily evaluation: at night in Europe, and in the evening in America. */
export const EVALUATION_TIME = "02:30";
/** Days before the expiry from which a certificate is `critical`, including the last one. */
export const EXPIRY_CRITICAL_DAYS = 14;
/** Days before the expiry from which a certificate is `warning`, including the last one. */
export const EXPIRY_WARNING_DAYS = 30;
/**
 * Maximum number of requests per client and minute. A client that sends its requests sequentially stays far
 * below it.
 */
export const RATE_LIMIT = 60_000;
/** Maximum size of a file on the page for bulk imports in bytes (specification, "Limits"). */
export const IMPORT_FILE_MAX_BYTES = 5 * 1024 * 1024;
/** Maximum number of rows on the import page, where users see and correct them first. */
export const IMPORT_MAX_ROWS = 10_000;
/**
 * Seconds after which an unresponsive worker is replaced: longer than the longest statements that block a
 * worker's thread, and no longer than the turn to write for which other workers wait.
 */
export const WORKER_TIMEOUT_S = 30;
