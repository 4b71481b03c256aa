/** Budgets of requests and of sign-ins; all others are in `limits.ts`, which exports these too. */

/** Bytes of a request body where nobody has signed in yet: a sign-in form and a request for a token have some hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;
/** Bytes that the bodies of all requests may hold in memory together: a dozen of the largest. */
export const BODY_BUDGET_BYTES = 128 * 1024 * 1024;
/**
 * How long a request body may take, in milliseconds; longer by a second for each {@link BODY_BYTES_PER_SECOND}. And how
 * long it may make no progress at all.
 */
export const BODY_DEADLINE_MS = 30_000;
/** Bytes of a body in a second that a client must keep up: an eighth of a slow uplink of 1 Mbit/s. */
export const BODY_BYTES_PER_SECOND = 16 * 1024;
/** Levels of nesting in a JSON body. */
export const MAX_JSON_DEPTH = 32;
/**
 * Values in a JSON body: a thousand objects of 250 each. In memory each takes up to a hundred bytes, however short it
 * is written.
 */
export const MAX_JSON_VALUES = 250_000;
/** Fields of a form: a page of a thousand rows to choose from, and the longest lists of users and groups. */
export const MAX_FORM_FIELDS = 5_000;
/** Bytes of the headers of one part of a multipart form; browsers send two short ones. */
export const MAX_PART_HEADER_BYTES = 8 * 1024;
/** Characters of a query string: a GraphQL query of the largest size, escaped, or a thousand ids, fit. */
export const MAX_QUERY_CHARS = 32 * 1024;
/** Parameters of a query string: a filter has at most a thousand values, and lists have some further parameters. */
export const MAX_QUERY_PARAMETERS = 1_200;
/** Filters that are shown above a list one by one; each has a link with all the others. */
export const MAX_FILTER_CHIPS = 20;
/** Failed sign-ins are counted for this long. */
export const SIGN_IN_WINDOW_MS = 15 * 60_000;
/** Failed sign-ins of one account from one address (IPv6: one /64) in that time. */
export const SIGN_IN_FAILURES_PER_ACCOUNT = 10;
/**
 * Failed sign-ins of one account from all addresses in that time, from which on further ones wait. They are not
 * refused: anyone could lock an account for its owner that way.
 */
export const SIGN_IN_FAILURES_BEFORE_DELAY = 200;
/** How long each of those waits. */
export const SIGN_IN_DELAY_MS = 2_000;
/** Failed sign-ins from one address (IPv6: one /64) in that time; offices share one. */
export const SIGN_IN_FAILURES_PER_ADDRESS = 50;
/** Accounts and addresses that are counted at a time, and pairs of them that are remembered for a success. */
export const SIGN_IN_COUNTERS = 10_000;
