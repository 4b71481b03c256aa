/** The steps of every write: resolve references, prepare, validate, store, check the constraint again, record, read. */

import type { Finding } from "../../base/findings.ts";
import type { Identity, Out } from "../model/objects.ts";
import { getTableName, sql } from "drizzle-orm";
import { restrictionSql } from "../../auth/mod.ts";
import { forbidden } from "../../base/errors.ts";
import { recordChanges } from "../../changes/mod.ts";
import { type Cell, idsIn, type ObjectRow, type Packed, type Row, updateRows, where } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { Draft, Values } from "../model/field.ts";
import { fieldLists } from "../model/field_lists.ts";
import { fitsBudget, longFields, requireBudget } from "../read/long_texts.ts";
import { ALL_FIELDS, fullList, recordList, rowReader, snapshot } from "../read/select.ts";
import { resolveCustomValues } from "./custom_values.ts";
import { resolveReferences } from "./resolve.ts";
import { nextUpdate, recordDiffers, rowStatements, sideStatements } from "./row_statements.ts";
import { checkUnique } from "./unique.ts";
import type { WriteCall } from "./write_call.ts";

/** Validates drafts without storing anything. Afterwards, the `errors` of each draft are complete. */
export async function validateDrafts(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  const { ctx, tx, resource } = call;
  await resolveReferences(resource, drafts, { ctx, reader: tx });
  await resolveCustomValues(call, drafts);
  await resource.hooks?.prepare?.({ ctx, tx, drafts });
  for (const draft of drafts) fillColumns(resource, draft);
  await checkUnique(call, drafts);
}

/** Returns whether any draft has an error. */
export function anyErrors(drafts: readonly { errors: readonly Finding[] }[]): boolean {
  return drafts.some(({ errors }) => errors.length > 0);
}

/** Fills the columns of the fields in the input, except those that a hook has set. */
function fillColumns(resource: Resource, { input, row }: Draft): void {
  for (const { name, columns } of fieldLists(resource).stored) {
    if (!Object.hasOwn(input, name)) continue;
    const cells = columns(input[name]);
    for (const column in cells) if (row[column] === undefined) row[column] = cells[column] ?? null;
  }
}

/**
 * Stores validated drafts, which must be all new or all updates, and returns their objects. Errors:
 * forbidden.
 */
export async function storeDrafts<Of extends Identity>(
  call: WriteCall<Of>,
  drafts: readonly Draft[],
): Promise<Of[]> {
  const { ctx, resource } = call;
  const rows = await storeRows(call, drafts, fullList(resource, ctx));
  const read = rowReader(resource, ALL_FIELDS);
  // Object.assign keeps the shape of the object, with which V8 writes it three times as fast as a copy.
  return rows.map((row, index) => Object.assign(read(row, ctx), drafts[index]?.reveal));
}

/** Stores validated drafts without returning objects, for which rows of other tables would be read. */
export async function storeOnly(call: WriteCall, drafts: readonly Draft[]): Promise<void> {
  await storeRows(call, drafts, recordList(call.resource, call.ctx));
}

/**
 * Stores validated drafts, and returns `packed` of their rows, which includes the columns of the change
 * record.
 */
async function storeRows(
  call: WriteCall,
  drafts: readonly Draft[],
  packed: Packed<ObjectRow>,
): Promise<ObjectRow[]> {
  const { ctx, tx, resource } = call;
  await tx.runAll([...rowStatements(call, drafts), ...sideStatements(resource, drafts)]);
  const rows = await readBack(call, drafts.map((draft) => draft.id), packed);
  const stored: StoredDraft[] = [];
  for (const draft of drafts) {
    const row = rows.get(draft.id);
    if (row === undefined) {
      throw new Error(`Row ${draft.id} of "${resource.objectType}" is missing after its write`);
    }
    if (row.allowed !== 1) throw forbidden();
    const prechange = draft.before === undefined ? null : snapshot(resource, draft.before);
    stored.push({ draft, row, prechange, postchange: snapshot(resource, row) });
  }
  const changed = stored.filter((one) => hasChanged(resource, one));
  await correctLastUpdated(call, stored, changed);
  await recordChanges(
    tx,
    ctx,
    changed.map(({ draft, row, prechange, postchange }) => ({
      action: prechange === null ? "create" as const : "update" as const,
      objectType: resource.objectType,
      objectId: draft.id,
      repr: resource.display(row),
      prechange,
      postchange,
      message: draft.message,
    })),
  );
  return stored.map(({ row }) => row);
}

/** A stored draft with its row and its snapshots. The first snapshot is null for a new object. */
interface StoredDraft {
  readonly draft: Draft;
  readonly row: ObjectRow;
  readonly prechange: Values | null;
  readonly postchange: Values;
}

/**
 * Returns the validated new drafts that the actor's constraint excludes. Stores them for this check, unless
 * the actor is unrestricted, so the caller must roll back the transaction.
 */
export async function draftsOutside(call: WriteCall, drafts: readonly Draft[]): Promise<ReadonlySet<Draft>> {
  if (isUnrestricted(call) || drafts.length === 0) return new Set();
  await call.tx.runAll([...rowStatements(call, drafts), ...sideStatements(call.resource, drafts)]);
  return await storedOutside(call, drafts);
}

/** Returns the validated new drafts that the actor's constraint allows, and stores none of them. */
export async function draftsWithin(call: WriteCall, drafts: readonly Draft[]): Promise<readonly Draft[]> {
  if (isUnrestricted(call) || drafts.length === 0) return drafts;
  const outside = await draftsOutside(call, drafts);
  const ids = idsIn(drafts.map(({ id }) => id));
  await call.tx.run(sql`DELETE FROM ${call.resource.table} WHERE id IN ${ids}`);
  return drafts.filter((draft) => !outside.has(draft));
}

function isUnrestricted({ ctx, resource, allowed }: WriteCall): boolean {
  return restrictionSql(ctx, allowed, { map: resource.map }) === undefined;
}

/**
 * Returns the stored drafts that the actor's constraint excludes. One statement, none for an unrestricted
 * actor.
 */
export async function storedOutside(
  { ctx, tx, resource, allowed }: WriteCall,
  drafts: readonly Draft[],
): Promise<ReadonlySet<Draft>> {
  const test = restrictionSql(ctx, allowed, { map: resource.map });
  if (test === undefined) return new Set();
  const rows = await tx.all<{ id: number }>(
    sql`SELECT ${resource.table}.id AS id FROM ${resource.table} WHERE ${resource.table}.id IN ${
      idsIn(drafts.map(({ id }) => id))
    } AND ${test}`,
  );
  const inside = new Set(rows.map(({ id }) => id));
  return new Set(drafts.filter(({ id }) => !inside.has(id)));
}

/** Reads the rows, and whether the actor's constraint allows each. One statement. */
async function readBack(
  { ctx, tx, resource, allowed }: WriteCall,
  ids: readonly number[],
  packed: Packed<ObjectRow>,
): Promise<Map<number, ObjectRow>> {
  const alias = getTableName(resource.table);
  const test = restrictionSql(ctx, allowed, { map: resource.map, alias }) ?? sql`1`;
  const rows = await tx.all<Row>(
    sql`SELECT ${packed.list}, (${test}) IS TRUE AS allowed FROM ${resource.table} WHERE ${resource.table}.id IN ${
      idsIn(ids)
    }`,
  );
  return new Map(
    packed.unpack(rows).map((row, index) => {
      row.allowed = rows[index]?.allowed ?? 0;
      return [row.id, row];
    }),
  );
}

function hasChanged(resource: Resource, { draft, prechange, postchange }: StoredDraft): boolean {
  return prechange === null ||
    recordDiffers(resource, ({ name }) => [prechange[name], postchange[name]]) ||
    Object.values(resource.fields).some((field) =>
      (field.writeOnly || field.record?.conceals === true) && field.name in draft.input
    );
}

/**
 * Corrects `last_updated` where the update of the row could not know whether the object changes: of those changed in side
 * tables alone, and those whose columns changed without their fields. No statement if there are none.
 */
async function correctLastUpdated(
  { ctx, tx, resource }: WriteCall,
  stored: readonly StoredDraft[],
  changed: readonly StoredDraft[],
): Promise<void> {
  const now = ctx.clock.now();
  const differing = new Set(changed);
  const corrected: { id: number; last_updated: Cell }[] = [];
  for (const one of stored) {
    const { draft, row, postchange } = one;
    const { id, before } = draft;
    if (before === undefined) continue;
    const isUpdated = row.last_updated !== before.last_updated;
    if (isUpdated === differing.has(one)) continue;
    const last_updated = isUpdated ? before.last_updated ?? null : nextUpdate(draft, now);
    row.last_updated = last_updated;
    if (differing.has(one) && "last_updated" in postchange) {
      postchange.last_updated = resource.fields.last_updated?.record?.read(row);
    }
    corrected.push({ id, last_updated });
  }
  if (corrected.length > 0) await tx.runAll([updateRows(resource.table, corrected)]);
}

/**
 * Loads the allowed rows with the columns of the change record. One statement. `bounded` refuses rows whose
 * long texts exceed the budget. Errors: too_large.
 */
export async function loadForChange<Stored extends ObjectRow>(
  { ctx, tx, resource, allowed }: WriteCall<Out, Stored>,
  ids: readonly number[],
  { bounded = false }: { bounded?: boolean } = {},
): Promise<Map<number, Stored>> {
  const test = restrictionSql(ctx, allowed, { map: resource.map });
  const packed = recordList(resource, ctx);
  const chosen = sql`${resource.table}.id IN ${idsIn(ids)}${test === undefined ? sql`` : sql` AND ${test}`}`;
  const texts = { resource, fields: bounded ? longFields(resource) : [], rows: chosen };
  const rows = await tx.all<Row>(
    sql`SELECT ${packed.list} FROM ${resource.table}${where(chosen, fitsBudget(texts))}`,
  );
  if (rows.length === 0) await requireBudget(tx, { ...texts, advice: "Send fewer objects in one request." });
  return new Map(packed.unpack(rows).map((row) => [row.id, row]));
}
