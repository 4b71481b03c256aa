/** The GraphQL API under `/graphql/`. */

export { namesOfFilters } from "./schema/filters.ts";
export { SCHEMA_RESOURCES } from "./schema/names.ts";
export { schemaText } from "./schema/build.ts";
export { createGraphql } from "./handler.ts";
