/** Limits of GraphQL queries, with unit and reason. */

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
/**
 * Errors that validation reports for a GraphQL query or its variables before it stops. Each unknown name is compared
 * with hundreds of known ones to suggest a similar one, which takes about 10 ms.
 */
export const MAX_GRAPHQL_ERRORS = 5;
/** Characters of an error about a GraphQL variable; graphql-js repeats the whole value in each error. */
export const MAX_GRAPHQL_MESSAGE_CHARS = 1_000;
