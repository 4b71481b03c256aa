/** Deletes objects: all of them or none. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../access/mod.ts";
import { AppError, invalid, notFound } from "../base/errors.ts";
import type { Row } from "../db/mod.ts";
import { recordChanges } from "../outbox/mod.ts";
import { bulkIds, missing } from "./bulk_ids.ts";
import { authorizeWrite, requireBulkSize } from "./create.ts";
import type { Resource } from "./definition.ts";
import { loadForChange, type WriteCall } from "./drafts.ts";
import { etagOf } from "./get.ts";
import { snapshot } from "./select.ts";
import { preconditionFailed, type VersionTest } from "./update.ts";

/** Deletes one object. Errors: forbidden, not_found, conflict, precondition_failed. */
export async function deleteObject(
  { ctx, resource, id, accepts }: {
    ctx: Context;
    resource: Resource;
    id: number;
    accepts?: VersionTest | undefined;
  },
): Promise<void> {
  const allowed = authorizeWrite(ctx, resource, "delete");
  await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, [id]);
    const row = rows.get(id);
    if (row === undefined) throw notFound();
    if (accepts !== undefined && !accepts(etagOf(row))) throw preconditionFailed();
    await remove(call, [row]);
  });
  resource.afterCommit?.(ctx);
}

/** Deletes a list of `{id}`. Errors: invalid with a list aligned with the input, forbidden, conflict. */
export async function deleteObjects(
  { ctx, resource, input }: { ctx: Context; resource: Resource; input: readonly unknown[] },
): Promise<void> {
  const allowed = authorizeWrite(ctx, resource, "delete");
  requireBulkSize(input);
  const ids = bulkIds(input);
  await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const rows = await loadForChange(call, ids);
    if (rows.size < ids.length) throw invalid(missing(ids, rows));
    await remove(call, [...rows.values()]);
  });
  resource.afterCommit?.(ctx);
}

async function remove(call: WriteCall, rows: readonly Row[]): Promise<void> {
  const { ctx, tx, resource } = call;
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(rows.map((row) => row.id))}))`;
  await resource.beforeDelete?.({ ctx, tx, rows });
  await refuseDependents(call, ids);
  for (const cascade of resource.cascades) {
    const target = cascade.target();
    const found = await tx.all<{ id: number }>(
      sql`SELECT id FROM ${target.table} WHERE ${sql.identifier(cascade.column)} IN ${ids}`,
    );
    const children: WriteCall = { ctx, tx, resource: target, allowed: { kind: "and", terms: [] } };
    const loaded = await loadForChange(children, found.map((row) => row.id));
    if (loaded.size > 0) await remove(children, [...loaded.values()]);
  }
  await tx.run(sql`DELETE FROM ${resource.table} WHERE id IN ${ids}`);
  await recordChanges(
    tx,
    ctx,
    rows.map((row) => ({
      action: "delete" as const,
      objectType: resource.objectType,
      objectId: row.id as number,
      repr: resource.display(row),
      prechange: snapshot(resource, row),
      postchange: null,
      event: resource.events,
    })),
  );
}

/** Says how many rows stand in the way, of hidden ones too, but names none of them. */
async function refuseDependents({ tx, resource }: WriteCall, ids: SQL): Promise<void> {
  if (resource.dependents.length === 0) return;
  const counts = resource.dependents.map((one, index) => sql`(${one.count(ids)}) AS ${sql.identifier(`n${index}`)}`);
  const [row] = await tx.all<Record<string, number>>(sql`SELECT ${sql.join(counts, sql`, `)}`);
  const found = resource.dependents.map((one, index) => ({ label: one.label, count: row?.[`n${index}`] ?? 0 }))
    .filter((one) => one.count > 0);
  if (found.length === 0) return;
  const total = found.reduce((sum, one) => sum + one.count, 0);
  throw new AppError(
    "conflict",
    `Unable to delete object. ${total} dependent objects were found: ${
      found.map((one) => `${one.count} ${one.label}`).join(", ")
    }`,
  );
}
