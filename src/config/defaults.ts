/** Defaults of the settings that are limits, with unit and reason. */

/** Bytes of a request body. A bulk call of 100 certificates with chains stays below 2 MiB. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Rows of a page when the request names no limit. */
export const DEFAULT_PAGE_SIZE = 50;
/** Maximum rows of a page; `limit=0` requests this many. */
export const MAX_PAGE_SIZE = 1_000;
/** API tokens of one user: enough for any use, and few enough to be revoked one by one. */
export const MAX_TOKENS_PER_USER = 50;
/** Calendar feeds of one user, for the same reason. */
export const MAX_FEEDS_PER_USER = 50;
/** Days for which the change log is kept; 0: it is never pruned, because it is the history of the inventory. */
export const CHANGELOG_RETENTION_DAYS = 0;
/** Days to expiry up to which a certificate is `critical`; the last day counts. */
export const EXPIRY_CRITICAL_DAYS = 14;
/** Days to expiry up to which a certificate is `warning`; the last day counts. */
export const EXPIRY_WARNING_DAYS = 30;
/**
 * Requests of one client per minute. A client that sends its requests sequentially stays far below it.
 */
export const RATE_LIMIT = 60_000;
/** Bytes of a file on the page for bulk imports (specification, "Limits"). */
export const IMPORT_FILE_MAX_BYTES = 5 * 1024 * 1024;
/** Rows of a table on the import page, where people see and correct them first. */
export const IMPORT_MAX_ROWS = 10_000;
/**
 * Seconds after which a worker that does not react is replaced: more than the longest statements that hold up the
 * thread of a worker, and no more than the turn to write that other workers wait for.
 */
export const WORKER_TIMEOUT_S = 30;
