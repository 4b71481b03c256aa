/**
 * Limits that several directories share, with unit and reason. Others are in the directory that enforces
 * them. The defaults of settings are in `config/settings.ts`.
 */

/** Maximum size of a text with certificates in bytes (contract: 1 MiB per request text). */
export const MAX_PEM_TEXT_BYTES = 1024 * 1024;
/** Maximum number of certificates in a file or text. */
export const MAX_MEMBERS = 1_000;
/**
 * Maximum number of issuers that a bundle adds to each of its certificates. Otherwise a crafted bundle would
 * grow quadratically.
 */
export const MAX_BUNDLE_CHAIN = 20;
/** Maximum number of names in the `sans` of an API body. The names of a PEM are limited only by its size. */
export const MAX_NAMES = 2_000;
/** Maximum number of objects in a bulk create, update or delete of a collection. */
export const MAX_BULK_OBJECTS = 1_000;
/** Maximum length of an address or network: the longest IPv6 address with the zone of its interface. */
export const MAX_ADDRESS_CHARS = 100;
/** Maximum length of a common name or distinguished name that is entered; those of certificates are shorter. */
export const MAX_NAME_CHARS = 64 * 1024;
/**
 * Minimum and maximum length of a password. Shorter ones are too easy to guess; the maximum limits the cost
 * of hashing.
 */
export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_CHARS = 128;
/** Maximum number of elements in a list of choices, including duplicates. There are far fewer choices. */
export const MAX_CHOICES = 100;
/** Maximum number of field names in a parameter: more than any resource has, including duplicates. */
export const MAX_FIELD_NAMES = 200;
/** Maximum number of groups of a user, and of users or groups of a permission. */
export const MAX_LINKS = 1_000;
/** Maximum length of a permission's constraints as JSON: more than a hundred comparisons. */
export const MAX_CONSTRAINT_CHARS = 16 * 1024;
/** Maximum length of a cell in an imported table: as long as the longest text of a certificate. */
export const MAX_CELL_CHARS = MAX_PEM_TEXT_BYTES;
/** Maximum number of cells in a row of a table; about thirty columns are known. */
export const MAX_ROW_CELLS = 1_000;
/**
 * Maximum number of blank rows that are skipped in a table, not counting those at its end. Each takes about
 * 40 microseconds.
 */
export const MAX_BLANK_ROWS = 1_000;
/** Maximum number of reported findings about a table. */
export const MAX_TABLE_FINDINGS = 1_000;
/** Maximum number of certificates in a bulk import (specification, "Limits"). */
export const BULK_IMPORT_MAX_BATCH_SIZE = 100;
/** Maximum number of certificates in an export (specification, "Limits"). */
export const MAX_EXPORT_SIZE = 1_000;
/** Maximum number of certificates in a bulk chain validation: about 10 ms of signature checks each. */
export const MAX_CHAIN_BATCH = 100;
/** Maximum number of certificates that are offered as successors at a renewal. */
export const MAX_RENEWAL_CANDIDATES = 50;
/** Maximum number of results of a compliance run, policies times certificates: about a second of work. */
export const MAX_COMPLIANCE_CHECKS = 50_000;
/**
 * Number of results that a transaction of a compliance run stores: about 40 ms, during which other requests
 * wait.
 */
export const CHECKS_PER_TRANSACTION = 4_000;
/** Maximum lifetime of a web session. */
export const SESSION_MS = 7 * 86_400_000;
/** Maximum idle time of a web session. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** Interval at which the use of a session is recorded. */
export const SESSION_NOTE_INTERVAL_MS = 60_000;
/** Maximum number of web sessions per user. The one that has been idle longest is revoked. */
export const MAX_SESSIONS_PER_USER = 50;
/** Number of characters of the header `User-Agent` that are stored. */
export const MAX_USER_AGENT_CHARS = 300;
/** Maximum number of thresholds in a list. */
export const MAX_EXPIRY_NOTICES = 20;
/** Maximum number of days in a threshold: ten years. */
export const MAX_NOTICE_DAYS = 3_650;
/**
 * Maximum number of expiries in a calendar, the next ones first. Some calendar programs refuse files above 1
 * MiB.
 */
export const MAX_CALENDAR_EVENTS = 1_000;
/** Number of days for which a calendar shows past expiries. */
export const CALENDAR_PAST_DAYS = 30;
/** Maximum length of a calendar's filter: the limit of a query. */
export const MAX_CALENDAR_FILTER_CHARS = 4_000;
/** Time for which a preview of a bulk import is kept. */
export const IMPORT_PREVIEW_MS = 3_600_000;
/** Maximum number of previews per user. The oldest one is deleted. */
export const MAX_IMPORT_PREVIEWS_PER_USER = 5;
/** Number of rows of a preview that are shown at once. */
export const IMPORT_PREVIEW_PAGE_ROWS = 50;
/** Number of characters of a preview's cell that are stored. The document contains the complete text. */
export const MAX_PREVIEW_CELL_CHARS = 200;
/**
 * Maximum length of a document that the page shows again for editing. Longer ones must be edited as files.
 */
export const MAX_REPEATED_DOCUMENT_CHARS = 256 * 1024;
/** Duration of the lease of a process that sends a message: well above the time limit of an attempt. */
export const DELIVERY_LEASE_MS = 30_000;
/** Number of bytes of a receiver's response that are read for the log. */
export const MAX_REPLY_BYTES = 4 * 1024;
/** Days for which events and messages are kept. */
export const DELIVERY_KEPT_DAYS = 30;
/** Number of expired rows that are deleted at once, so that others can write in between. */
export const PRUNE_BATCH = 1_000;
/**
 * Maximum size of the body of an anonymous request in bytes: a sign-in form or a token request has a few
 * hundred.
 */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;
/** Maximum memory of the bodies of all requests together, in bytes: a dozen of the largest. */
export const BODY_BUDGET_BYTES = 128 * 1024 * 1024;
/**
 * Maximum number of fields in a form: a page with a thousand selectable rows and the longest lists of users
 * and groups.
 */
export const MAX_FORM_FIELDS = 5_000;
/**
 * Maximum size in bytes of the long texts (PEM, chains) that a page or a bulk write reads. A thousand
 * certificates with usual chains have less than 10 MiB. A write keeps each text up to three times in memory.
 */
export const MAX_LONG_TEXT_BYTES = 16 * 1024 * 1024;
/** `Retry-After` in seconds while the database is unavailable or its disk is full. */
export const RETRY_AFTER_S = 5;
/** Time limit of a database server's response, in seconds: as long as a user waits for a page. */
export const DATABASE_TIMEOUT_S = 5;
/** Time limit of a long read of a database file, in seconds. */
export const QUERY_TIMEOUT_S = 30;
/**
 * Maximum number of characters of names and notes that a request writes, in addition to the first {@link
 * USUAL_NAME_CHARS} of each object. Each is in memory a dozen times, the search index takes a microsecond for
 * each, and the COMMIT cannot be interrupted.
 */
export const MAX_WRITTEN_CHARS = 1024 * 1024;
/**
 * Characters of the names of a usual object, which do not count, because the number of objects has its own
 * limits.
 */
export const USUAL_NAME_CHARS = 1_000;
/**
 * Number of characters of texts that a statement writes, so that other requests run between two statements.
 * SQLite needs up to two microseconds for each character of a name in the search index.
 */
export const WRITTEN_CHARS = 64 * 1024;
/** Number of characters that a statement writes if no search index contains the texts. */
export const WRITTEN_PLAIN_CHARS = 1024 * 1024;
/** Time window in which failed sign-ins are counted. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Maximum number of failed sign-ins of an account from an address (IPv6: a /64) in that window. */
export const SIGN_IN_FAILURES_PER_ACCOUNT = 10;
/** Maximum number of nested levels in a JSON body, and in the value of a custom field. */
export const MAX_JSON_DEPTH = 32;
