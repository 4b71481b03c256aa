/** Filters on JSON columns, and their values during a write. */

import { sql, type SQLWrapper } from "drizzle-orm";
import type { FilterField } from "../../../filters/mod.ts";
import type { Draft } from "../definition.ts";

/** Returns a filter on the elements of a JSON list in a column. */
export function elementFilter(table: SQLWrapper, column: string): FilterField {
  return {
    kind: "values",
    defaultOperator: "exact",
    ids: (condition) =>
      sql`SELECT ${table}.id FROM ${table}, json_each(${table}.${sql.identifier(column)}) AS element WHERE ${
        condition(sql`element.value`)
      }`,
  };
}

/** Returns the value of a JSON field after a write: the input, or the stored value. */
export function effectiveJson({ input, before }: Draft, field: string): unknown {
  if (field in input) return input[field];
  const stored = before?.[field];
  return typeof stored === "string" ? JSON.parse(stored) : stored;
}
