/** The statements that store drafts: inserts, and updates of the columns that change. */

import { getTableColumns, type SQL } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Millis } from "../../base/clock.ts";
import { WRITTEN_CHARS } from "../../base/limits.ts";
import { memoize } from "../../base/memoize.ts";
import { isSameValue } from "../../changes/mod.ts";
import { inBatches, insertRows, type ObjectRow, type Row, updateRows } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Draft } from "../model/field.ts";
import { fieldLists, type RecordedField } from "../model/field_lists.ts";
import type { WriteCall } from "./write_call.ts";

/** Returns the statements that store the rows of drafts, of which some may be new. */
export function rowStatements({ ctx, resource }: WriteCall, drafts: readonly Draft[]): SQL[] {
  const now = ctx.clock.now();
  const created = drafts.filter((draft) => draft.before === undefined);
  const statements: SQL[] = [];
  const rows = created.map((draft) => newRow(resource.table, draft, now));
  for (const some of inBatches(rows, WRITTEN_CHARS)) statements.push(insertRows(resource.table, some));
  for (const group of groupByColumns(drafts.filter((draft) => draft.before !== undefined))) {
    const columns = changedColumns(group);
    if (columns.length === 0) continue;
    const changed = new Set(group.filter((draft) => changesRecord(resource, draft)));
    const rows = group.map((draft): Row => ({
      ...pickColumns(draft.row, columns),
      ...(changed.size === 0 ? {} : {
        last_updated: changed.has(draft) ? nextUpdate(draft, now) : draft.before?.last_updated ?? null,
      }),
      id: draft.id,
    }));
    for (const some of inBatches(rows, WRITTEN_CHARS)) statements.push(updateRows(resource.table, some));
  }
  return statements;
}

/** Groups drafts by written columns. Each group is one statement. */
function groupByColumns(drafts: readonly Draft[]): Draft[][] {
  return [...Map.groupBy(drafts, ({ row }) => Object.keys(row).sort().join()).values()];
}

/**
 * Returns the columns in which any of the drafts differs from its stored row. All drafts must write the same
 * columns. SQLite deletes the entries of a written column from all indexes and inserts them again, even if
 * the value is the same.
 */
function changedColumns(drafts: readonly Draft[]): string[] {
  return Object.keys(drafts[0]?.row ?? {}).filter((column) =>
    drafts.some(({ row, before }) => row[column] !== before?.[column])
  );
}

/** Returns whether the columns of an update change the object as the change log records it. */
function changesRecord(resource: Resource, { id, row, before = { id } }: Draft): boolean {
  const after = { ...before, ...row };
  return recordDiffers(resource, ({ record }) => [record.read(before), record.read(after)]);
}

/** Returns whether any recorded field other than `last_updated`, which follows from the others, has two different values. */
export function recordDiffers(
  resource: Resource,
  valuesOf: (field: RecordedField) => readonly [before: unknown, after: unknown],
): boolean {
  return fieldLists(resource).recorded.some((field) => {
    if (field.name === "last_updated") return false;
    return !isSameValue(...valuesOf(field));
  });
}

/** Returns when the draft's object is updated: at least a millisecond after the last time, so that versions differ. */
export function nextUpdate({ before }: Draft, now: Millis): Millis {
  return Math.max(now, Number(before?.last_updated) + 1);
}

function pickColumns(row: Draft["row"], columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

/** Returns the statements that store values in side tables. */
export function sideStatements(resource: Resource, drafts: readonly Draft[]): SQL[] {
  return fieldLists(resource).side.flatMap(({ side }) => [...side.store(drafts)]);
}

/** Returns the row of a validated new draft, with all columns. */
export function newRow(table: SQLiteTable, { id, row: given }: Draft, now: Millis): ObjectRow {
  const row = { ...initialRow(table) };
  const filled: Row = row;
  // One by one, because V8 needs many times as long to spread an object that was filled property by property.
  for (const column in given) filled[column] = given[column] ?? null;
  row.id = id;
  row.created = now;
  row.last_updated = now;
  return row;
}

/** Returns the default values of all columns of a table. */
const initialRow = memoize((table: SQLiteTable): ObjectRow => {
  const columns = Object.entries(getTableColumns(table));
  const values = columns.map(([name, column]) => [name, column.default ?? null]);
  // Created by JSON.parse for the same reason.
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
});
