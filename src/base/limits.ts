/**
 * Limits that several directories share, with unit and reason. Others are in the directory that enforces them; the defaults
 * of settings are in `config/defaults.ts`.
 */

/** Bytes of one text that holds certificates (contract: 1 MiB a request text). */
export const MAX_PEM_TEXT_BYTES = 1024 * 1024;
/** Certificates in one file or text. */
export const MAX_MEMBERS = 1_000;
/** Issuers that a bundle adds to each of its certificates; without a limit a crafted one grows quadratically. */
export const MAX_BUNDLE_CHAIN = 20;
/** Names in the `sans` of an API body; the names of a PEM are limited by its size only. */
export const MAX_NAMES = 2_000;
/** Objects in one bulk create, update or delete on a collection. */
export const MAX_BULK_OBJECTS = 1_000;
/** Characters of an address or a network: the longest IPv6 address, with the zone of its interface. */
export const MAX_ADDRESS_CHARS = 100;
/** Characters of a common name or a distinguished name: as long as a certificate may be. */
export const MAX_NAME_CHARS = 64 * 1024;
/** Characters of a password. Shorter ones are too easy to guess; the maximum limits the cost of hashing. */
export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_CHARS = 128;
/** Elements in a list of choices, duplicates included; far fewer choices exist. */
export const MAX_CHOICES = 100;
/** Field names in one parameter: more than any resource has, with room for duplicates. */
export const MAX_FIELD_NAMES = 200;
/** Groups of one user; users or groups of one permission. */
export const MAX_LINKS = 1_000;
/** Characters of a permission's constraints as JSON; a hundred comparisons fit well. */
export const MAX_CONSTRAINT_CHARS = 16 * 1024;
/** Characters of one cell of a table that is imported: as long as the longest text of a certificate. */
export const MAX_CELL_CHARS = MAX_PEM_TEXT_BYTES;
/** Cells in one row of a table: some thirty columns are known. */
export const MAX_ROW_CELLS = 1_000;
/** Blank rows of a table that are skipped, those at its end not counted: each takes some 40 microseconds. */
export const MAX_BLANK_ROWS = 1_000;
/** Reported findings about one table. */
export const MAX_TABLE_FINDINGS = 1_000;
/** Certificates of one bulk import (specification, "Limits"). */
export const BULK_IMPORT_MAX_BATCH_SIZE = 100;
/** Certificates of one export (specification, "Limits"). */
export const MAX_EXPORT_SIZE = 1_000;
/** Certificates in one bulk chain validation: some 10 ms of signature checks each. */
export const MAX_CHAIN_BATCH = 100;
/** Certificates that one renewal may offer as successors. */
export const MAX_RENEWAL_CANDIDATES = 50;
/** Results of one compliance call, policies times certificates: about a second of work. */
export const MAX_COMPLIANCE_CHECKS = 50_000;
/** Results that one transaction of a compliance run stores: some 40 ms, for which other requests wait. */
export const CHECKS_PER_TRANSACTION = 4_000;
/** Maximum lifetime of a web session. */
export const SESSION_MS = 7 * 86_400_000;
/** Maximum idle time of a web session. */
export const SESSION_IDLE_MS = 12 * 3_600_000;
/** Interval at which the use of a session is recorded. */
export const SESSION_NOTE_INTERVAL_MS = 60_000;
/** Web sessions of one user; the one that was idle longest is ended. */
export const MAX_SESSIONS_PER_USER = 50;
/** Stored characters of the header `User-Agent`. */
export const MAX_USER_AGENT_CHARS = 300;
/** Thresholds of expiry notices in one list. */
export const MAX_EXPIRY_NOTICES = 20;
/** Days of the farthest threshold: ten years. */
export const MAX_NOTICE_DAYS = 3_650;
/** Expiries in one calendar, the next ones first. Some calendar applications refuse files above 1 MiB. */
export const MAX_CALENDAR_EVENTS = 1_000;
/** Days for which a calendar shows expiries of the past. */
export const CALENDAR_PAST_DAYS = 30;
/** Characters of a calendar's filter: the limit of a query. */
export const MAX_CALENDAR_FILTER_CHARS = 4_000;
/** How long a preview of a bulk import is kept. */
export const IMPORT_PREVIEW_MS = 3_600_000;
/** Previews of one user; the oldest one is deleted. */
export const MAX_IMPORT_PREVIEWS_PER_USER = 5;
/** Rows of a preview that are shown at a time. */
export const IMPORT_PREVIEW_PAGE_ROWS = 100;
/** Stored characters of a preview's cell; the document contains the complete text. */
export const MAX_PREVIEW_CELL_CHARS = 200;
/** Characters of a document that the page shows again for editing; longer ones must be edited as files. */
export const MAX_REPEATED_DOCUMENT_CHARS = 256 * 1024;
/** Lease of a message for the process that sends it: well above the time limit of an attempt. */
export const DELIVERY_LEASE_MS = 30_000;
/** Bytes of a receiver's response that are read for the log. */
export const MAX_REPLY_BYTES = 4 * 1024;
/** Days for which events and messages are kept. */
export const DELIVERY_KEPT_DAYS = 30;
/** Expired rows deleted at once: others may write in between. */
export const PRUNE_BATCH = 1_000;
/** Bytes of the body of an anonymous request: a sign-in form or a token request has some hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;
/** Memory of the bodies of all requests together, in bytes: a dozen of the largest. */
export const BODY_BUDGET_BYTES = 128 * 1024 * 1024;
/** Fields of a form: a page with a thousand selectable rows and the longest lists of users and groups. */
export const MAX_FORM_FIELDS = 5_000;
/**
 * Bytes of the long texts (PEM, chains) that one page or one bulk write reads: a thousand certificates with usual chains
 * have less than 10 MiB. A write contains each text up to three times in memory.
 */
export const MAX_LONG_TEXT_BYTES = 16 * 1024 * 1024;
/** `Retry-After` in seconds while the database is unavailable or its disk full. */
export const RETRY_AFTER_S = 5;
/** Time limit of a database server's response, in seconds: as long as a user waits for a page. */
export const DATABASE_TIMEOUT_S = 5;
/** Time limit of a long read of a database file, in seconds. */
export const QUERY_TIMEOUT_S = 30;
/**
 * Maximum age of a replica while its server is unavailable, in seconds. It bridges a restart of the server; a token
 * that was revoked elsewhere stays valid at most this long on a disconnected node.
 */
export const REPLICA_STALE_S = 60;
/**
 * Characters of the names and notes that one request writes, besides the first {@link USUAL_NAME_CHARS} of each object.
 * Each is in memory a dozen times, the search index takes a microsecond for each, and the COMMIT cannot be interrupted.
 */
export const MAX_WRITTEN_CHARS = 1024 * 1024;
/** Characters of the names of a usual object, which do not count: the number of objects has its own limits. */
export const USUAL_NAME_CHARS = 1_000;
/**
 * Characters of the texts that one statement writes: other requests run between two statements. SQLite needs up to two
 * microseconds for each character of a name that the search index contains.
 */
export const WRITTEN_CHARS = 64 * 1024;
/** The same where no search index contains the texts. */
export const WRITTEN_PLAIN_CHARS = 1024 * 1024;
/** Time window in which failed sign-ins are counted. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Failed sign-ins of one account from one address (IPv6: one /64) in that time. */
export const SIGN_IN_FAILURES_PER_ACCOUNT = 10;
/** Levels of nesting in a JSON body, and in the value of a custom field. */
export const MAX_JSON_DEPTH = 32;
