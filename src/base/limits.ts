/** All limits of the service, with unit and reason. Configurable ones are the defaults of `src/config/settings.ts`. */

export * from "./database_limits.ts";
export * from "./request_limits.ts";

/** Bytes of a request body. A bulk call of 100 certificates with chains stays below 2 MiB. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes of one text that holds certificates (contract: 1 MiB a request text). */
export const MAX_PEM_TEXT_BYTES = 1024 * 1024;
/** Bytes of one DER certificate or request; real ones stay below 8 KiB. */
export const MAX_CERTIFICATE_BYTES = 64 * 1024;
/** Certificates in one file or text. */
export const MAX_MEMBERS = 1_000;
/** Issuers that a bundle adds to each of its certificates; without a limit a crafted one grows quadratically. */
export const MAX_BUNDLE_CHAIN = 20;
/** Names in the `sans` of an API body; the names of a PEM are limited by its size only. */
export const MAX_NAMES = 2_000;
/** Rows of a page when the request names no limit. */
export const DEFAULT_PAGE_SIZE = 50;
/** Maximum rows of a page; `limit=0` requests this many. */
export const MAX_PAGE_SIZE = 1_000;
/** Objects in one bulk create, update or delete on a collection. */
export const MAX_BULK_OBJECTS = 1_000;
/**
 * Comparisons in one filter or constraint. Each text of a contains-search counts: a hundred of them take 0.8 s on
 * 100,000 rows.
 */
export const MAX_FILTER_TERMS = 100;
/** Values of one filter (`id=1&id=2…`), bound as one JSON parameter. */
export const MAX_FILTER_VALUES = 1_000;
/** Relations that one path may cross (`tenant__…`). */
export const MAX_FILTER_DEPTH = 3;
/**
 * Consecutive combining marks in a name that is normalized, because the time is quadratic in their number. Unicode's
 * own limit is 30 (UAX #15, "Stream-Safe Text Format"); no language needs more than about ten.
 */
export const MAX_MARKS_IN_A_ROW = 30;
/** Characters of an address or a network: the longest IPv6 address, with the zone of its interface. */
export const MAX_ADDRESS_CHARS = 100;
/** Characters of one filter value. */
export const MAX_FILTER_VALUE_CHARS = 2_000;
/** Characters of a regular expression in a filter; it is matched by our own linear-time engine. */
export const MAX_REGEX_CHARS = 200;
/** Regular expressions in all filters of one request: each compiles in a few milliseconds, then reads values. */
export const MAX_REGEX_PATTERNS = 5;
/** Steps of a compiled regular expression. `(a{100}){100}` has ten thousand, and takes 100 ms to compile. */
export const MAX_REGEX_PROGRAM = 1_000;
/** Levels of AND, OR and NOT in one filter object. */
export const MAX_FILTER_NESTING = 10;
/** Distinct values that the regular expressions of one request may look at: some 50 ms of reading. */
export const REGEX_SCAN_VALUES = 20_000;
/** Program steps times characters for the same: about 1.5 s in the worst case, usually a tenth of it. */
export const REGEX_SCAN_STEPS = 30_000_000;
/** Values read at a time; other requests are served between two pages. */
export const REGEX_SCAN_PAGE = 2_000;
/**
 * Lifetime of a cached actor. Together with the age of a replica, a revocation on another node takes effect within
 * five seconds.
 */
export const ACTOR_CACHE_MS = 4_000;
/** Cached actors. */
export const ACTOR_CACHE_ENTRIES = 1_000;
/** Cached list counts; each is valid until the next change of any row. */
export const COUNT_CACHE_ENTRIES = 1_000;
/** How often `last_used` of a token is written. */
export const LAST_USED_INTERVAL_MS = 60_000;
/** Tags of one object. */
export const MAX_TAGS = 100;
/** Characters of a common name or a distinguished name: as long as a certificate may be. */
export const MAX_NAME_CHARS = 64 * 1024;
/** Statements that each connection keeps prepared; the service has some hundreds, filters make more. */
export const PREPARED_STATEMENTS = 500;
/** Characters of a statement's values up to which it stays prepared: a prepared one keeps its last values in memory. */
export const MAX_CACHED_ARGUMENT_CHARS = 64 * 1024;
/** Clients whose requests are counted; the least recent one is evicted. */
export const RATE_LIMIT_CLIENTS = 10_000;
/** Characters of a password. Shorter ones are too easy to guess; the maximum limits the cost of hashing. */
export const MIN_PASSWORD_CHARS = 12;
export const MAX_PASSWORD_CHARS = 128;
/** Passwords hashed at once; each takes 32 MiB and some 200 ms of one core. */
export const MAX_CONCURRENT_HASHES = 2;
/** Hashes that may wait for a slot: about three seconds of work. Further ones are refused. */
export const MAX_WAITING_HASHES = 32;
/** Passwords in one bulk call: some ten seconds of hashing. */
export const MAX_BULK_PASSWORDS = 50;
/** Elements in a list of choices, duplicates included; far fewer choices exist. */
export const MAX_CHOICES = 100;
/** Field names in one parameter: more than any resource has, with room for duplicates. */
export const MAX_FIELD_NAMES = 200;
/** Addresses and networks in one list. */
export const MAX_NETWORKS = 100;
/** Groups of one user; users or groups of one permission. */
export const MAX_LINKS = 1_000;
/** Characters of a permission's constraints as JSON; a hundred comparisons fit well. */
export const MAX_CONSTRAINT_CHARS = 16 * 1024;
/** Rows that an export reads at a time. */
export const EXPORT_PAGE_ROWS = 500;
/** The same where the rows have long texts: each may be two of 1 MiB. */
export const EXPORT_LONG_PAGE_ROWS = 50;
/** Characters per chunk of a streamed document: large enough that the overhead of a chunk does not matter. */
export const EXPORT_CHUNK_CHARS = 32 * 1024;
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
/** API tokens of one user: enough for any use, and few enough to be revoked one by one. */
export const MAX_TOKENS_PER_USER = 50;
/** Calendar feeds of one user, for the same reason. */
export const MAX_FEEDS_PER_USER = 50;
/** Days for which the change log is kept; 0: it is never pruned, because it is the history of the inventory. */
export const CHANGELOG_RETENTION_DAYS = 0;
/** Certificates of one export (specification, "Limits"). */
export const MAX_EXPORT_SIZE = 1_000;
/** Days to expiry up to which a certificate is `critical`; the last day counts. */
export const EXPIRY_CRITICAL_DAYS = 14;
/** Days to expiry up to which a certificate is `warning`; the last day counts. */
export const EXPIRY_WARNING_DAYS = 30;
/**
 * Requests of one client per minute. A client that sends its requests sequentially stays far below it.
 */
export const RATE_LIMIT = 60_000;
/** After a signal to stop: how long requests that are already in transit are still accepted. */
export const STOP_GRACE_MS = 250;
/** After a signal to stop: how long running requests may take to finish. */
export const STOP_LIMIT_MS = 10_000;
/** Cached select lists per actor. */
export const SELECT_LISTS = 100;
/** Cached statements that write rows of one table: one for each set of columns. */
export const STATEMENT_TEXTS = 100;
/** Number of rows from which a statement binds the columns that are equal in all rows only once. */
export const SHARING_ROWS = 20;
/** Ids in a block of counted rows, as a power of two (see migration 0002). */
export const BLOCK_BITS = 10;
/** Offsets from which the blocks are used; below, scanning the rows is as fast. */
export const MIN_SKIPPED_ROWS = 2_048;
/** Certificates in one bulk chain validation: some 10 ms of signature checks each. */
export const MAX_CHAIN_BATCH = 100;
/** Certificates that one renewal may offer as successors. */
export const MAX_RENEWAL_CANDIDATES = 50;
/** Issuers that one compliance policy names. */
export const MAX_POLICY_ISSUERS = 100;
/** Characters of each of them; whole distinguished names are seldom longer than 300. */
export const MAX_POLICY_ISSUER_CHARS = 1_000;
/** Results of one compliance call, policies times certificates: about a second of work. */
export const MAX_COMPLIANCE_CHECKS = 50_000;
/** Results that one transaction of a compliance run stores: some 40 ms, for which other requests wait. */
export const CHECKS_PER_TRANSACTION = 4_000;
/** Days that the trend of a compliance report reaches back. */
export const COMPLIANCE_TREND_DAYS = 90;
/** Ports of one service. */
export const MAX_PORTS = 1_000;
/** Lifetime of cached numbers for the metrics: counting a million certificates takes 40 ms. */
export const METRICS_MEMORY_MS = 10_000;
/** Interval at which the scheduler checks for due jobs. */
export const JOB_TICK_MS = 60_000;
/** Characters of one GraphQL query; long ones are better sent as variables. */
export const MAX_GRAPHQL_CHARS = 16 * 1024;
/** Bytes of the body that carries one: the query, escaped, and its variables. */
export const MAX_GRAPHQL_BODY_BYTES = 256 * 1024;
/** Tokens of a query: validation compares fields pairwise. The standard introspection query has about 400. */
export const MAX_GRAPHQL_TOKENS = 1_000;
/** Nested brackets of a query: the parser is recursive and would overflow its stack. */
export const MAX_GRAPHQL_NESTING = 50;
/** Levels of fields in a query. */
export const MAX_GRAPHQL_DEPTH = 10;
/** Aliases in a query: each may request the same list again. */
export const MAX_GRAPHQL_ALIASES = 15;
/**
 * Values that a query may request: fields times the maximum number of rows by its limits. A thousand certificates with
 * fifty assignments each and their targets stay below it; actual results are mostly far smaller.
 */
export const MAX_GRAPHQL_COST = 500_000;
/** Cost of one long text, in values. */
export const GRAPHQL_LONG_TEXT_COST = 100;
/** Cost of one total count, in values: it scans an index. */
export const GRAPHQL_TOTAL_COST = 10;
/** Cost of the complete schema, in values: a megabyte. */
export const GRAPHQL_SCHEMA_COST = 200_000;
/** Levels of nesting in the variables of a query. */
export const MAX_GRAPHQL_VARIABLE_DEPTH = 32;
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
/** Characters of a webhook's secret: 96 bits in base64 at least, and 64 bytes in base64 with room to spare. */
export const MIN_WEBHOOK_SECRET_CHARS = 16;
export const MAX_WEBHOOK_SECRET_CHARS = 200;
/** Enabled webhooks: each stores about 4 KB per event that it matches. */
export const MAX_WEBHOOKS = 100;
/** Further headers of one webhook, and characters of their names and values. */
export const MAX_WEBHOOK_HEADERS = 20;
export const MAX_WEBHOOK_HEADER_NAME_CHARS = 100;
export const MAX_WEBHOOK_HEADER_CHARS = 2_000;
/** Webhook conditions that one statement evaluates: with a hundred comparisons each it stays below a megabyte. */
export const WEBHOOKS_PER_STATEMENT = 20;
/** Thresholds of expiry notices in one list. */
export const MAX_EXPIRY_NOTICES = 20;
/** Days of the farthest threshold: ten years. */
export const MAX_NOTICE_DAYS = 3_650;
/** Certificates that one statement checks for expiry notices: a few milliseconds. */
export const NOTICE_BATCH = 1_000;
/** Expiry notices recorded in one transaction: each event contains the complete object. */
export const NOTICE_WRITE_BATCH = 100;
/** Expiries in one calendar, the next ones first. Some calendar applications refuse files above 1 MiB. */
export const MAX_CALENDAR_EVENTS = 1_000;
/** Days for which a calendar shows expiries of the past. */
export const CALENDAR_PAST_DAYS = 30;
/** Characters of a calendar's filter: as long as a query may be. */
export const MAX_CALENDAR_FILTER_CHARS = 4_000;
/** Characters of each of the texts in one event. */
export const MAX_CALENDAR_TEXT_CHARS = 200;
/** Refresh interval that calendars suggest, in hours. */
export const CALENDAR_REFRESH_HOURS = 6;
/** Interval at which the use of a calendar is recorded. */
export const FEED_NOTE_INTERVAL_MS = 3_600_000;
/** How long a client may cache a calendar, in seconds. */
export const CALENDAR_MAX_AGE_S = 3_600;
/** Bytes of a file on the page for bulk imports (specification, "Limits"). */
export const IMPORT_FILE_MAX_BYTES = 5 * 1024 * 1024;
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
/** Concurrent webhook deliveries of one process, in total and per host. */
export const DELIVERY_SLOTS = 16;
export const DELIVERY_SLOTS_PER_HOST = 4;
/** Time limit of one delivery attempt. */
export const DELIVERY_TIMEOUT_MS = 10_000;
/** Lease of a message for the process that sends it: well above the time limit of an attempt. */
export const DELIVERY_LEASE_MS = 30_000;
/** Interval of the search for due messages without a queue hint, such as those of processes that ended. */
export const DELIVERY_SWEEP_MS = 1_000;
/** Bytes of a receiver's response that are read for the log. */
export const MAX_REPLY_BYTES = 4 * 1024;
/** Pauses after each failed attempt; after the last one the message is dead. */
export const RETRY_PAUSES_MS = [
  5_000,
  30_000,
  120_000,
  600_000,
  3_600_000,
  3 * 3_600_000,
  8 * 3_600_000,
  24 * 3_600_000,
] as const;
/** Random share added to a pause, so that messages that failed together are not retried together. */
export const RETRY_JITTER = 0.1;
/** Longest pause that a receiver may request by `Retry-After`. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
/** Longest possible delay of a message; one that is further ahead was set by a clock that was wrong. */
export const MAX_DELIVERY_DELAY_MS = 2 * MAX_RETRY_AFTER_MS;
/** Consecutive failures of a webhook after which one message at a time is tried. */
export const BREAKER_FAILURES = 20;
/** Longest pause between two of those attempts. */
export const MAX_PROBE_PAUSE_MS = 600_000;
/**
 * Tolerated difference between the clocks of processes. A recorded expiry notice that is further ahead was made by a
 * wrong clock.
 */
export const CLOCK_TOLERANCE_MS = 3_600_000;
/** Days for which events and messages are kept. */
export const DELIVERY_KEPT_DAYS = 30;
/** Events dispatched to webhooks at once: with their snapshots at most 20 MB. */
export const DISPATCH_BATCH = 200;
/** Expired rows deleted at once: others may write in between. */
export const PRUNE_BATCH = 1_000;
/** Webhook messages that one run of the edge's cron sends; the others are sent a minute later. */
export const EDGE_DRAIN_MESSAGES = 200;
/** Cached overviews, one per view of the inventory; each is valid until the next change of any row. */
export const REMEMBERED_RESULTS = 200;
/** Lifetime of a cached overview without changes, because it contains remaining days. */
export const OVERVIEW_MS = 60_000;
/** Months of the expiry forecast. */
export const FORECAST_MONTHS = 12;
/** Authorities and key types that the overview lists; the others are counted together. */
export const OVERVIEW_ENTRIES = 8;
/** Buffered bytes of log lines, about a thousand requests. Further lines are dropped and counted. */
export const LOG_BUFFER_BYTES = 1024 * 1024;
/** Bytes of log lines per write: the capacity of a pipe. */
export const LOG_WRITE_BYTES = 64 * 1024;
/** How long a stopping service waits until its log is written, in milliseconds. */
export const LOG_FLUSH_MS = 2_000;
