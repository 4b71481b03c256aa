/** The schema as text, so that clients see what changes. */

import { lexicographicSortSchema, printSchema } from "graphql";
import { buildModel } from "./build.ts";

/** The schema in the GraphQL schema definition language, sorted by name. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildModel().schema))}\n`;
}
