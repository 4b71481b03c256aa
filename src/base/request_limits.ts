/** Budgets of requests, before it is known what they ask for; all others are in `limits.ts`, which exports these too. */

/** Bytes of a request body where nobody has signed in yet: a sign-in form and a request for a token have some hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 16 * 1024;
/** Bytes that the bodies of all requests may hold in memory together: a dozen of the largest. */
export const BODY_BUDGET_BYTES = 128 * 1024 * 1024;
/** How long a request body may take, in milliseconds; longer by a second for each {@link BODY_BYTES_PER_SECOND}. */
export const BODY_DEADLINE_MS = 30_000;
/** Bytes of a body in a second that a client must keep up: an eighth of a slow uplink of 1 Mbit/s. */
export const BODY_BYTES_PER_SECOND = 16 * 1024;
/** Fields of a form: a page of a thousand rows to choose from, and the longest lists of users and groups. */
export const MAX_FORM_FIELDS = 5_000;
/** Bytes of the headers of one part of a multipart form; browsers send two short ones. */
export const MAX_PART_HEADER_BYTES = 8 * 1024;
/** Characters of a query string: a GraphQL query of the largest size, escaped, or a thousand ids, fit. */
export const MAX_QUERY_CHARS = 32 * 1024;
/** Parameters of a query string: a filter has at most a thousand values, and lists have some further parameters. */
export const MAX_QUERY_PARAMETERS = 1_200;
