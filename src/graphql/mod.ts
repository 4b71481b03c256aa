/** The GraphQL API under `/graphql/`. */

export { ENTRIES, schemaText } from "./schema/mod.ts";
export { createGraphql } from "./handler.ts";
