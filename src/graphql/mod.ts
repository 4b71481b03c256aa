/** The GraphQL surface. */

export { ENTRIES, schemaText } from "./schema/mod.ts";
export { type Asked, createGraphql, type GraphqlSurface, type Identify } from "./surface.ts";
