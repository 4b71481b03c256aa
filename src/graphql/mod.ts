/** The GraphQL API under `/graphql/`. */

export { namesOfFilters, SCHEMA_RESOURCES, schemaText } from "./schema/mod.ts";
export { createGraphql } from "./handler.ts";
