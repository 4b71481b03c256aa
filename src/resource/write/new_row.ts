/** Rows of new objects. */

import { getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Millis } from "../../base/clock.ts";
import type { Cell, Row } from "../../db/mod.ts";
import type { Draft } from "../model/definition.ts";

/** Default values of all columns by table. */
const initial = new WeakMap<SQLiteTable, Row>();

/** Returns all columns of the row for a validated new draft. */
export function newRow(table: SQLiteTable, { id, row: given }: Draft, now: Millis): Row {
  const row: Row = { ...initialRow(table) };
  // One by one: V8 needs many times as long to spread an object that was filled property by property.
  for (const column in given) row[column] = given[column] as Cell;
  row.id = id;
  row.created = now;
  row.last_updated = now;
  return row;
}

function initialRow(table: SQLiteTable): Row {
  const known = initial.get(table);
  if (known !== undefined) return known;
  const columns = Object.entries(getTableColumns(table));
  const values = columns.map(([name, column]) => [name, column.default ?? null]);
  // Created by JSON.parse for the same reason.
  const row: Row = JSON.parse(JSON.stringify(Object.fromEntries(values)));
  initial.set(table, row);
  return row;
}
