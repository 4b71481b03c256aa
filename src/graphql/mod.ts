/** The GraphQL surface. */

export { ENTRIES, schemaText } from "./schema/mod.ts";
export { type Asked, createGraphql, type GraphqlSurface } from "./surface.ts";
