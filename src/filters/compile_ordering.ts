/** Compiles orderings to SQL. */

import { type SQL, sql } from "drizzle-orm";
import type { OrderKey } from "./ast.ts";
import { columnOf } from "./compile_values.ts";
import type { FieldMap, FilterField, ViewRestriction } from "./field_map.ts";
import { fieldByName } from "./names.ts";

/**
 * Returns the terms of an ORDER BY. Nulls come first in ascending order and last in descending order, as in SQLite's
 * indexes. With `indexed: false` SQLite cannot use an index for the order: it finds the rows first and sorts them. With
 * `shown` a reference to a hidden row is sorted like null.
 */
export function compileOrdering(
  keys: readonly OrderKey[],
  map: FieldMap,
  alias: string,
  options: { indexed?: boolean; shown?: ViewRestriction | undefined } = {},
): SQL {
  const plus = options.indexed === false ? sql.raw("+") : sql.raw("");
  const terms = keys.map(({ field: name, descending }) => {
    const field = fieldByName(map, name);
    const column = field !== undefined && "column" in field ? field.column : name === "id" ? "id" : undefined;
    if (column === undefined) throw new Error(`Cannot order ${map.objectType} by "${name}"`);
    const value = shownReference(field, alias, options.shown) ?? sql`${plus}${columnOf(alias, column)}`;
    return descending ? sql`${value} DESC` : value;
  });
  return sql.join(terms, sql.raw(", "));
}

/** Returns a reference's id with null for hidden rows; undefined if no row is hidden. */
function shownReference(
  field: FilterField | undefined,
  alias: string,
  shown: ViewRestriction | undefined,
): SQL | undefined {
  if (field?.kind !== "reference") return undefined;
  const { objectType, table } = field.target();
  const target = `${alias}_${field.column}_order`;
  const condition = shown?.(objectType, target);
  if (condition === undefined) return undefined;
  const id = columnOf(target, "id");
  return sql`(SELECT ${id} FROM ${sql.identifier(table)} AS ${sql.identifier(target)}
    WHERE ${id} = ${columnOf(alias, field.column)} AND ${condition})`;
}
