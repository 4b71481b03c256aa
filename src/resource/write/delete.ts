/** Deletes objects: all of them or none. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { AppError, invalid, notFound } from "../../base/errors.ts";
import { idsIn, type ObjectRow, readBatch } from "../../db/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { recordChanges } from "../../changes/mod.ts";
import { bulkIds, errorsOfMissing } from "./bulk_ids.ts";
import { authorizeWrite, requireBulkSize } from "./create.ts";
import { type Referrer, referrersOf, refersTo } from "../model/registry.ts";
import type { Resource } from "../model/definition.ts";
import { deletionMessage } from "./parse.ts";
import { loadForChange, storeOnly, validateDrafts } from "./drafts.ts";
import { changeDraft, type WriteCall } from "./write_call.ts";
import { etagOf } from "../read/get.ts";
import { snapshot } from "../read/select.ts";
import { preconditionFailed, type VersionTest } from "./update.ts";

/**
 * Number of rows that a statement deletes, so that other requests run between two statements. Each row has
 * triggers and foreign keys.
 */
const DELETED_ROWS = 200;

/** Deletes an object. Errors: forbidden, not_found, conflict, precondition_failed. */
export async function deleteObject(
  { ctx, resource, id, accepts, input }: {
    ctx: Context;
    resource: Resource;
    id: number;
    accepts?: VersionTest | undefined;
    /** The request body, which may contain a message for the change log. */
    input?: unknown;
  },
): Promise<void> {
  const allowed = authorizeWrite(ctx, resource, "delete");
  const { message } = deletionMessage(input);
  await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, [id]);
    const row = rows.get(id);
    if (row === undefined) throw notFound();
    if (accepts !== undefined && !accepts(etagOf(row))) throw preconditionFailed();
    await removeRows(call, [row], () => message);
  });
  resource.hooks?.afterCommit?.(ctx);
}

/**
 * Deletes a list of `{id}`. Errors: invalid with a list that is aligned with the input, forbidden, conflict,
 * too_large.
 */
export async function deleteObjects(
  { ctx, resource, input }: { ctx: Context; resource: Resource; input: readonly unknown[] },
): Promise<void> {
  const allowed = authorizeWrite(ctx, resource, "delete");
  requireBulkSize(input);
  const ids = bulkIds(input);
  const messages = new Map(input.map((body, index) => [ids[index], deletionMessage(body).message]));
  await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, ids, { bounded: true });
    if (rows.size < ids.length) throw invalid(errorsOfMissing(ids, rows));
    await removeRows(call, [...rows.values()], ({ id }) => messages.get(id));
  });
  resource.hooks?.afterCommit?.(ctx);
}

/**
 * Deletes loaded rows in the caller's transaction. Deletes or clears references to them as their `onDelete`
 * says. Errors: conflict.
 */
export async function removeRows(
  call: WriteCall,
  rows: readonly ObjectRow[],
  messageFor: (row: ObjectRow) => string | undefined = () => undefined,
): Promise<void> {
  const { ctx, tx, resource } = call;
  const ids = idsIn(rows.map((row) => row.id));
  const referrers = referrersOf(resource);
  await resource.hooks?.beforeDelete?.({ ctx, tx, rows });
  await refuseDependents(call, referrers.filter((one) => one.onDelete === "restrict"), ids);
  await releaseReferrers(
    call,
    referrers.filter(({ onDelete }) => onDelete === "cascade" || onDelete === "clear"),
    ids,
  );
  const statements: SQL[] = [];
  for (let first = 0; first < rows.length; first += DELETED_ROWS) {
    const some = idsIn(rows.slice(first, first + DELETED_ROWS).map((row) => row.id));
    statements.push(sql`DELETE FROM ${resource.table} WHERE id IN ${some}`);
  }
  await tx.runAll(statements);
  await recordChanges(
    tx,
    ctx,
    rows.map((row) => ({
      action: "delete" as const,
      objectType: resource.objectType,
      objectId: row.id,
      repr: resource.display(row),
      prechange: snapshot(resource, row),
      postchange: null,
      message: messageFor(row),
    })),
  );
}

/**
 * Deletes the rows that refer to deleted ones, or clears their references. Finds all of them in one round
 * trip.
 */
async function releaseReferrers(call: WriteCall, referrers: readonly Referrer[], ids: SQL): Promise<void> {
  const found = await readBatch(
    call.tx,
    referrers.map((referrer) => {
      const { table } = referrer.resource;
      const others = referrer.resource === call.resource ? sql` AND id NOT IN ${ids}` : sql``;
      return sql<{ id: number }>`SELECT id FROM ${table} WHERE ${refersTo(referrer, ids)}${others}`;
    }),
  );
  for (const [index, referrer] of referrers.entries()) {
    const rows = found[index] ?? [];
    if (rows.length > 0) await releaseRows(call, referrer, rows.map((row) => row.id));
  }
}

/**
 * Releases the rows of a referring field. Ignores the caller's restrictions, because this is a consequence of
 * the deletion. Skips rows that were deleted in the meantime.
 */
async function releaseRows({ ctx, tx }: WriteCall, referrer: Referrer, ids: number[]): Promise<void> {
  const { resource, field, onDelete } = referrer;
  const call: WriteCall = { ctx, tx, resource, allowed: EVERYTHING };
  const loaded = await loadForChange(call, ids);
  if (loaded.size === 0) return;
  if (onDelete === "cascade") return await removeRows(call, [...loaded.values()]);
  const drafts = [...loaded.values()].map((before) => changeDraft(before, { input: { [field.name]: null } }));
  // References that the caller may not view are cleared as well.
  const clearing: WriteCall = { ...call, ctx: { ...ctx, actor: { ...ctx.actor, isSuperuser: true } } };
  await validateDrafts(clearing, drafts);
  await storeOnly(clearing, drafts);
}

/**
 * Refuses the deletion if other rows depend on it. Counts only those that the caller may view. Errors:
 * conflict.
 */
async function refuseDependents(
  { ctx, tx }: WriteCall,
  referrers: readonly Referrer[],
  ids: SQL,
): Promise<void> {
  if (referrers.length === 0) return;
  const shown = viewRestrictions(ctx);
  const counts = referrers.flatMap((referrer, index) => {
    const { table, map } = referrer.resource;
    const from = sql`SELECT count(*) FROM ${table} WHERE ${refersTo(referrer, ids)}`;
    const seen = shown(map, map.table);
    return [
      sql`(${from}) AS ${sql.identifier(`all${index}`)}`,
      sql`(${from}${seen === undefined ? sql`` : sql` AND ${seen}`}) AS ${sql.identifier(`seen${index}`)}`,
    ];
  });
  const [row = {}] = await tx.all<Record<string, number>>(sql`SELECT ${sql.join(counts, sql`, `)}`);
  const found = referrers.map(({ resource }, index) => ({
    resource,
    all: row[`all${index}`] ?? 0,
    count: row[`seen${index}`] ?? 0,
  }));
  if (found.some(({ all }) => all > 0)) throw dependentsConflict(found);
}

function dependentsConflict(
  found: readonly { resource: Resource; all: number; count: number }[],
): AppError {
  const named = found.filter(({ count }) => count > 0).sort(byLabel).map(({ resource, count }) =>
    `${count} ${count === 1 ? resource.label : resource.labelPlural}`
  );
  if (named.length === 0) {
    return new AppError(
      "conflict",
      "Unable to delete object. Dependent objects that you may not view were found.",
    );
  }
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const others = found.some(({ all, count }) => all > count) ? ["and others"] : [];
  return new AppError(
    "conflict",
    `Unable to delete object. ${total} dependent objects were found: ${[...named, ...others].join(", ")}`,
  );
}

/** Orders by label, so that the order in which modules are loaded does not show in a message. */
function byLabel({ resource: a }: { resource: Resource }, { resource: b }: { resource: Resource }): number {
  return a.label < b.label ? -1 : 1;
}
