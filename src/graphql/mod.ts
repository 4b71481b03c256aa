/** The GraphQL surface. */

export { ENTRIES, schemaText } from "./schema/mod.ts";
export { createGraphql } from "./handler.ts";
