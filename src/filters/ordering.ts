/** Orderings: parsed from `ordering=-valid_to,common_name`, and compiled to SQL. */

import { type SQL, sql } from "drizzle-orm";
import { addOnce, type Finding, finding } from "../base/findings.ts";
import type { OrderKey } from "./ast.ts";
import { columnOf, fieldSql } from "./compile_values.ts";
import { fieldByName, type FieldMap, type FilterField, type ViewRestriction } from "./field_map.ts";
import { quoteInput } from "./messages.ts";
import { nearest } from "../base/nearest.ts";

/** A total order, or the errors of the requested one. */
export interface ParsedOrdering {
  readonly keys: readonly OrderKey[];
  readonly errors: Finding[];
}

/**
 * Parses an ordering. An empty one is replaced by `fallback` (by id, if absent). The id is added as a
 * tie-breaker in the direction of the last key, so that one index can provide the complete order.
 */
export function parseOrdering(
  text: string | null | undefined,
  map: FieldMap,
  options: { fallback?: readonly OrderKey[] } = {},
): ParsedOrdering {
  const errors: Finding[] = [];
  const keys = new Map<string, OrderKey>();
  for (const part of (text ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const descending = part.startsWith("-");
    const field = descending ? part.slice(1) : part;
    if (!isSortable(map, field)) addOnce(errors, "ordering", refusal(map, field));
    else if (!keys.has(field)) keys.set(field, { field, descending });
  }
  const chosen = keys.size === 0 ? options.fallback ?? [] : [...keys.values()];
  return { keys: complete(chosen), errors };
}

/** Completes an order with the id. Keys after the id have no effect. */
function complete(keys: readonly OrderKey[]): readonly OrderKey[] {
  const id = keys.findIndex((key) => key.field === "id");
  return id >= 0
    ? keys.slice(0, id + 1)
    : [...keys, { field: "id", descending: keys.at(-1)?.descending ?? false }];
}

function isSortable(map: FieldMap, name: string): boolean {
  const field = fieldByName(map, name);
  return name === "id" || (field !== undefined && "sortable" in field && field.sortable);
}

function refusal(map: FieldMap, name: string): Finding {
  const suggestion = nearest(name, Object.keys(map.fields).filter((known) => isSortable(map, known)));
  return finding("not_sortable", { value: quoteInput(name), suggestion });
}

/**
 * Returns the terms of an ORDER BY. Nulls come first in ascending order and last in descending order, as in
 * SQLite's indexes. With `indexed: false`, SQLite cannot use an index for the order: it first finds the rows
 * and then sorts them. With `shown`, a reference to a hidden row is sorted like null.
 */
export function compileOrdering(
  keys: readonly OrderKey[],
  { map, alias, indexed = true, shown }: {
    map: FieldMap;
    alias: string;
    indexed?: boolean;
    shown?: ViewRestriction | undefined;
  },
): SQL {
  const plus = !indexed ? sql.raw("+") : sql.raw("");
  const terms = keys.map(({ field: name, descending }) => {
    const field = fieldByName(map, name);
    const column = field !== undefined && "column" in field
      ? field
      : name === "id"
      ? { column: "id" }
      : undefined;
    if (column === undefined) throw new Error(`Cannot order ${map.objectType} by "${name}"`);
    const value = shownReference(field, alias, shown) ?? sql`${plus}${fieldSql(alias, column, shown)}`;
    return descending ? sql`${value} DESC` : value;
  });
  return sql.join(terms, sql.raw(", "));
}

/** Returns a reference's id, with null for hidden rows; undefined if no row is hidden. */
function shownReference(
  field: FilterField | undefined,
  alias: string,
  shown: ViewRestriction | undefined,
): SQL | undefined {
  if (field?.kind !== "reference") return undefined;
  const name = `${alias}_${field.member ?? field.column}_order`;
  return shown && shownId(fieldSql(alias, field), { map: field.target(), alias: name, shown });
}

/** Returns an id, with null for a row of the target that is hidden; undefined if no row is hidden. */
export function shownId(
  value: SQL,
  { map, alias, shown }: { map: FieldMap; alias: string; shown: ViewRestriction },
): SQL | undefined {
  const condition = shown(map, alias);
  const id = columnOf(alias, "id");
  // SQLite would scan the table for a condition that is always false.
  return condition && sql`(SELECT iif(${condition}, ${id}, NULL)
    FROM ${sql.identifier(map.table)} AS ${sql.identifier(alias)} WHERE ${id} = ${value})`;
}
