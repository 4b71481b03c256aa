/** The steps of every write: resolve references, prepare, validate, store, check the constraint again, record, read. */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { restrictionSql } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { type FieldErrors, forbidden } from "../../base/errors.ts";
import { WRITTEN_CHARS } from "../../base/limits.ts";
import { memoize } from "../../base/memoize.ts";
import { recordChanges } from "../../changes/mod.ts";
import { type Cell, idsIn, inBatches, insertRows, type Row, updateRows, where } from "../../db/mod.ts";
import type { Draft, Resource } from "../model/definition.ts";
import { fieldLists } from "../model/field_lists.ts";
import { fitsBudget, longFields, requireBudget } from "../read/long_texts.ts";
import { ALL_FIELDS, fullList, recordList, rowReader, snapshot } from "../read/select.ts";
import { resolveCustomValues } from "./custom_values.ts";
import { resolveReferences } from "./resolve.ts";
import { checkUnique } from "./unique.ts";
import type { WriteCall } from "./write_call.ts";

/** Validates drafts without storing anything; afterwards each draft's `errors` is complete. */
export async function validateDrafts(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  const { ctx, tx, resource } = call;
  await resolveReferences(resource, drafts, { ctx, reader: tx });
  await resolveCustomValues(call, drafts);
  await resource.prepare?.({ ctx, tx, drafts });
  for (const draft of drafts) fillColumns(resource, draft);
  await checkUnique(call, drafts);
}

/** Whether any draft has a finding. */
export function anyErrors(drafts: readonly { errors: FieldErrors }[]): boolean {
  return drafts.some((draft) => Object.keys(draft.errors).length > 0);
}

/** Fills the columns of the input's fields, except those that a hook has set. */
function fillColumns(resource: Resource, { input, row }: Draft): void {
  for (const { name, columns, one } of fieldLists(resource).stored) {
    const value = input[name];
    if (value === undefined && !Object.hasOwn(input, name)) continue;
    if (one === undefined) fill(row, columns(value));
    else if (row[one.column] === undefined) row[one.column] = one.encode(value);
  }
}

function fill(row: Draft["row"], cells: Readonly<Record<string, Cell>>): void {
  for (const column in cells) if (row[column] === undefined) row[column] = cells[column] as Cell;
}

/** Stores validated drafts, which are all new or all updates, and returns their objects. Errors: forbidden. */
export async function storeDrafts(
  call: WriteCall,
  drafts: readonly Draft[],
): Promise<Record<string, unknown>[]> {
  const { ctx, tx, resource } = call;
  await tx.runAll([...rowStatements(call, drafts), ...sideStatements(resource, drafts)]);
  const rows = await readBack(call, drafts.map((draft) => draft.id));
  const read = rowReader(resource, ALL_FIELDS, ctx);
  const changed: Draft[] = [];
  for (const draft of drafts) {
    const row = rows.get(draft.id);
    if (row === undefined) {
      throw new Error(`Row ${draft.id} of "${resource.objectType}" is missing after its write`);
    }
    if (row.allowed !== 1) throw forbidden();
    if (hasChanged(resource, draft, row)) changed.push(draft);
  }
  await bumpLastUpdated(call, changed.filter((draft) => draft.before !== undefined), rows);
  await recordChanges(
    tx,
    ctx,
    changed.map((draft) => {
      const row = rows.get(draft.id) as Row;
      return {
        action: draft.before === undefined ? "create" as const : "update" as const,
        objectType: resource.objectType,
        objectId: draft.id,
        repr: resource.display(row),
        prechange: draft.before === undefined ? null : snapshot(resource, draft.before),
        postchange: snapshot(resource, row),
        message: draft.message,
      };
    }),
  );
  return drafts.map((draft) => ({ ...read(rows.get(draft.id) as Row), ...draft.reveal }));
}

/**
 * Returns the validated new drafts that the actor's constraint does not allow. Stores them for the check, unless the
 * actor is unrestricted: the caller must roll back the transaction.
 */
export async function draftsOutside(
  call: WriteCall,
  drafts: readonly Draft[],
): Promise<ReadonlySet<Draft>> {
  if (isUnrestricted(call) || drafts.length === 0) return new Set();
  await call.tx.runAll([...rowStatements(call, drafts), ...sideStatements(call.resource, drafts)]);
  return await storedOutside(call, drafts);
}

function isUnrestricted({ ctx, resource, allowed }: WriteCall): boolean {
  return restrictionSql(ctx, allowed, resource.map, getTableName(resource.table)) === undefined;
}

/** Returns the stored drafts that the actor's constraint does not allow. One statement, none for an unrestricted actor. */
export async function storedOutside(
  { ctx, tx, resource, allowed }: WriteCall,
  drafts: readonly Draft[],
): Promise<ReadonlySet<Draft>> {
  const test = restrictionSql(ctx, allowed, resource.map, getTableName(resource.table));
  if (test === undefined) return new Set();
  const rows = await tx.all<{ id: number }>(
    sql`SELECT ${resource.table}.id AS id FROM ${resource.table} WHERE ${resource.table}.id IN ${
      idsIn(drafts.map(({ id }) => id))
    } AND ${test}`,
  );
  const inside = new Set(rows.map(({ id }) => id));
  return new Set(drafts.filter(({ id }) => !inside.has(id)));
}

function rowStatements({ ctx, resource }: WriteCall, drafts: readonly Draft[]): SQL[] {
  const now = ctx.clock.now();
  const created = drafts.filter((draft) => draft.before === undefined);
  const statements: SQL[] = [];
  const rows = created.map((draft) => newRow(resource.table, draft, now));
  for (const some of inBatches(rows, WRITTEN_CHARS)) statements.push(insertRows(resource.table, some));
  for (const group of groupByColumns(drafts.filter((draft) => draft.before !== undefined))) {
    const rows = group.map((draft) => ({ ...draft.row, id: draft.id }));
    if (Object.keys(rows[0] as Row).length === 1) continue;
    for (const some of inBatches(rows, WRITTEN_CHARS)) statements.push(updateRows(resource.table, some));
  }
  return statements;
}

/** Groups drafts by written columns; each group is one statement. */
function groupByColumns(drafts: readonly Draft[]): Draft[][] {
  const groups = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const key = Object.keys(draft.row).sort().join();
    groups.set(key, [...groups.get(key) ?? [], draft]);
  }
  return [...groups.values()];
}

/** Returns the statements that store values in side tables. */
export function sideStatements(resource: Resource, drafts: readonly Draft[]): SQL[] {
  return Object.values(resource.fields).flatMap((field) => [...(field.store?.(drafts) ?? [])]);
}

/** Reads all columns of the rows, and whether the actor's constraint allows each; one statement. */
async function readBack(call: WriteCall, ids: readonly number[]): Promise<Map<number, Row>> {
  const { ctx, tx, resource, allowed } = call;
  const alias = getTableName(resource.table);
  const test = restrictionSql(ctx, allowed, resource.map, alias) ?? sql`1`;
  const packed = fullList(resource, ctx);
  const rows = await tx.all<Row>(
    sql`SELECT ${packed.list}, (${test}) IS TRUE AS allowed FROM ${resource.table} WHERE ${resource.table}.id IN ${
      idsIn(ids)
    }`,
  );
  return new Map(
    packed.unpack(rows).map((row, index) => {
      row.allowed = rows[index]?.allowed ?? 0;
      return [row.id as number, row];
    }),
  );
}

function hasChanged(resource: Resource, draft: Draft, row: Row): boolean {
  if (draft.before === undefined) return true;
  return JSON.stringify(snapshot(resource, draft.before)) !== JSON.stringify(snapshot(resource, row)) ||
    Object.values(resource.fields).some((field) =>
      (field.writeOnly || field.conceals === true) && field.name in draft.input
    );
}

/** Increases `last_updated` of changed rows by at least a millisecond, so that versions are different. */
async function bumpLastUpdated(
  { ctx, tx, resource }: WriteCall,
  drafts: readonly Draft[],
  rows: Map<number, Row>,
): Promise<void> {
  if (drafts.length === 0) return;
  const now = ctx.clock.now();
  const stamped = drafts.map((draft) => ({
    id: draft.id,
    last_updated: Math.max(now, ((draft.before as Row).last_updated as number) + 1),
  }));
  await tx.runAll([updateRows(resource.table, stamped)]);
  for (const { id, last_updated } of stamped) (rows.get(id) as Row).last_updated = last_updated;
}

/**
 * Loads the allowed rows with the columns of the change record; one statement. `bounded` refuses rows whose long texts
 * exceed the budget. Errors: too_large.
 */
export async function loadForChange(
  { ctx, tx, resource, allowed }: WriteCall,
  ids: readonly number[],
  { bounded = false }: { bounded?: boolean } = {},
): Promise<Map<number, Row>> {
  const test = restrictionSql(ctx, allowed, resource.map, getTableName(resource.table));
  const packed = recordList(resource, ctx);
  const chosen = sql`${resource.table}.id IN ${idsIn(ids)}${test === undefined ? sql`` : sql` AND ${test}`}`;
  const texts = { resource, fields: bounded ? longFields(resource) : [], rows: chosen };
  const rows = await tx.all<Row>(
    sql`SELECT ${packed.list} FROM ${resource.table}${where(chosen, fitsBudget(texts))}`,
  );
  if (rows.length === 0) await requireBudget(tx, { ...texts, advice: "Send fewer objects in one request." });
  return new Map(packed.unpack(rows).map((row) => [row.id as number, row]));
}

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

/** Returns the default values of all columns of a table. */
const initialRow = memoize((table: SQLiteTable): Row => {
  const columns = Object.entries(getTableColumns(table));
  const values = columns.map(([name, column]) => [name, column.default ?? null]);
  // Created by JSON.parse for the same reason.
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
});
