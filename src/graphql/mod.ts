/** The GraphQL surface. */

export { ENTRIES, schemaText } from "./schema/mod.ts";
export { createGraphql, type GraphqlSurface } from "./surface.ts";
