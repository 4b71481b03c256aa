/** Limits of GraphQL queries, with unit and reason. */

/** Maximum length of a GraphQL query. Long values should be sent as variables. */
export const MAX_GRAPHQL_CHARS = 16 * 1024;
/** Maximum number of bytes of the body: the query, escaped, and its variables. */
export const MAX_GRAPHQL_BODY_BYTES = 256 * 1024;
/**
 * Maximum number of tokens of a query, because validation compares fields pairwise. The standard
 * introspection query has about 400.
 */
export const MAX_GRAPHQL_TOKENS = 1_000;
/**
 * Maximum number of nested brackets in a query, because the parser is recursive and would overflow its stack.
 */
export const MAX_GRAPHQL_NESTING = 50;
/** Maximum number of levels of fields in a query. */
export const MAX_GRAPHQL_DEPTH = 10;
/** Maximum number of aliases in a query, because each may request the same list again. */
export const MAX_GRAPHQL_ALIASES = 15;
/**
 * Maximum number of values that a query may request: fields times the maximum number of rows. A thousand
 * certificates with fifty assignments each and their targets stay below it. Results are usually far smaller.
 */
export const MAX_GRAPHQL_COST = 500_000;
/** Cost of a long text, in values. */
export const GRAPHQL_LONG_TEXT_COST = 100;
/** Cost of a total count, in values, because it scans an index. */
export const GRAPHQL_TOTAL_COST = 10;
/** Cost of the complete schema (a megabyte), in values. */
export const GRAPHQL_SCHEMA_COST = 200_000;
/** Maximum number of nested levels in the variables of a query. */
export const MAX_GRAPHQL_VARIABLE_DEPTH = 32;
/**
 * Maximum number of validation errors for a query or its variables. Each unknown name is compared with
 * hundreds of known ones to suggest a similar one, which takes about 10 ms.
 */
export const MAX_GRAPHQL_ERRORS = 5;
/** Maximum length of an error about a variable, because graphql-js repeats the whole value in each error. */
export const MAX_GRAPHQL_MESSAGE_CHARS = 1_000;
