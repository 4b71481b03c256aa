/** What resources do with their fields of JSON beside storing them. */

import { sql, type SQLWrapper } from "drizzle-orm";
import type { FilterField } from "../../../filters/mod.ts";
import type { Draft } from "../definition.ts";

/** Filters rows by the elements of a list that a column of theirs holds as JSON. */
export function elementFilter(table: SQLWrapper, column: string): FilterField {
  return {
    kind: "values",
    defaultOperator: "exact",
    ids: (condition) =>
      sql`SELECT ${table}.id FROM ${table}, json_each(${table}.${sql.identifier(column)}) AS element WHERE ${
        condition(sql`element.value`, sql`${table}.id`)
      }`,
  };
}

/** What an object will hold in a field of JSON: what is given, else what is stored. */
export function effectiveJson({ input, before }: Draft, field: string): unknown {
  if (field in input) return input[field];
  const stored = before?.[field];
  return typeof stored === "string" ? JSON.parse(stored) : stored;
}
