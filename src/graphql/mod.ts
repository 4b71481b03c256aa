/** The GraphQL API under `/graphql/`. */

export { ENTRIES, namesOfFilters, schemaText } from "./schema/mod.ts";
export { createGraphql } from "./handler.ts";
