/** Writes the schema as text, so that changes for clients are visible. */

import { lexicographicSortSchema, printSchema } from "graphql";
import { buildModel } from "./build.ts";

/** Returns the schema in the GraphQL schema definition language, sorted by name. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildModel().schema))}\n`;
}
