/** Limits of requests and sign-ins; all others are in `limits.ts`, which re-exports these. */

/** Bytes of the body of an anonymous request: a sign-in form or a token request has some hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;
/** Memory of the bodies of all requests together, in bytes: a dozen of the largest. */
export const BODY_BUDGET_BYTES = 128 * 1024 * 1024;
/**
 * Time limit of a request body in milliseconds, extended by a second per {@link BODY_BYTES_PER_SECOND} received; also
 * the longest time without any progress.
 */
export const BODY_DEADLINE_MS = 30_000;
/** Minimum rate of a body in bytes per second: an eighth of a slow uplink of 1 Mbit/s. */
export const BODY_BYTES_PER_SECOND = 16 * 1024;
/** Levels of nesting in a JSON body. */
export const MAX_JSON_DEPTH = 32;
/**
 * Values in a JSON body: a thousand objects with 250 each. In memory each takes up to a hundred bytes, however short
 * its JSON is.
 */
export const MAX_JSON_VALUES = 250_000;
/**
 * Members of one object in a JSON body. Rows of imports have at most as many; 240,000 distinct names take the parser
 * and the schema half a second.
 */
export const MAX_JSON_MEMBERS = 1_000;
/**
 * Errors that validation reports for a GraphQL query or its variables before it stops. Each unknown name is compared
 * with hundreds of known ones to suggest a similar one, which takes about 10 ms.
 */
export const MAX_GRAPHQL_ERRORS = 5;
/** Characters of an error about a GraphQL variable; graphql-js repeats the whole value in each error. */
export const MAX_GRAPHQL_MESSAGE_CHARS = 1_000;
/** Fields of a form: a page with a thousand selectable rows and the longest lists of users and groups. */
export const MAX_FORM_FIELDS = 5_000;
/** Bytes of the headers of one part of a multipart form; browsers send two short headers. */
export const MAX_PART_HEADER_BYTES = 8 * 1024;
/** Characters of a query string: a GraphQL query of the largest size, escaped, or a thousand ids, fit. */
export const MAX_QUERY_CHARS = 32 * 1024;
/** Parameters of a query string: a filter has at most a thousand values, and lists have some further parameters. */
export const MAX_QUERY_PARAMETERS = 1_200;
/** Active filters that a list page shows individually; each has a link with all the others. */
export const MAX_FILTER_CHIPS = 20;
/** Time window in which failed sign-ins are counted. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Failed sign-ins of one account from one address (IPv6: one /64) in that time. */
export const SIGN_IN_FAILURES_PER_ACCOUNT = 10;
/**
 * Failed sign-ins of one account from all addresses in that window after which further ones are delayed. They are not
 * refused, because anyone could lock out the owner of an account that way.
 */
export const SIGN_IN_FAILURES_BEFORE_DELAY = 200;
/** Delay of each of those. */
export const SIGN_IN_DELAY_MS = 2_000;
/** Failed sign-ins from one address (IPv6: one /64) in that time; offices share one. */
export const SIGN_IN_FAILURES_PER_ADDRESS = 50;
/** Entries per table of counters: accounts, addresses, and pairs that signed in successfully. */
export const SIGN_IN_COUNTERS = 10_000;

/** Bytes below which a response is not compressed: it fits in one packet anyway. */
export const COMPRESS_MIN_BYTES = 1024;
/** Bytes of a response that is compressed on the event loop: about half a millisecond. */
export const COMPRESS_SYNC_BYTES = 64 * 1024;
/**
 * Bytes of the long texts (PEM, chains) that one page or one bulk write reads: a thousand certificates with usual chains
 * have less than 10 MiB. A write contains each text up to three times in memory.
 */
export const MAX_LONG_TEXT_BYTES = 16 * 1024 * 1024;
