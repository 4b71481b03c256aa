/** Moves the objects of a tenant to another tenant. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, visible, visibleSql } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { AppError, invalid, notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { idsIn, type Transaction } from "../../../db/mod.ts";
import { matchesNothing } from "../../../filters/mod.ts";
import { objectBody, objectId, operation } from "../../../operation/mod.ts";
import {
  anyErrors,
  authorizeWrite,
  changeDraft,
  CHANGELOG_MESSAGE,
  countDependents,
  type Draft,
  loadForChange,
  messageSchema,
  type Referrer,
  referrersOf,
  refersTo,
  type Resource,
  storeUpdates,
  type WriteCall,
} from "../../../resource/mod.ts";
import { tenants } from "../mod.ts";

const MoveInput = objectBody({ target: objectId(), [CHANGELOG_MESSAGE]: messageSchema.optional() });
const MovedTenant = z.object({
  moved: z.array(z.object({ object_type: z.string(), count: z.int() })),
  left_count: z.int().describe("Objects that are left, because a request changes a limited number."),
});

/**
 * Moves what belongs to a tenant and the caller may view: all of it, or nothing if an object cannot be changed. If
 * there is more than one request may change, the rest is left. Errors: not_found, forbidden, invalid, too_large.
 */
export const moveTenantObjects = operation({
  needs: [["view", tenants]],
  input: MoveInput,
  output: MovedTenant,
  run: async ({ ctx, id, input: { target, changelog_message: message } }) => {
    await requireTenants(ctx, id, target);
    const moved = await moveReferences({ ctx, from: id, to: target, message });
    return {
      moved: moved.map(({ resource, count }) => ({ object_type: resource.objectType, count })),
      left_count: await countOf(ctx, id),
    };
  },
});

async function requireTenants(ctx: Context, id: number, target: number): Promise<void> {
  const { table, map } = tenants;
  const shown = visibleSql(ctx, map) ?? sql`1`;
  const rows = await ctx.database.all<{ id: number }>(
    sql`SELECT id FROM ${table} WHERE id IN ${idsIn([id, target])} AND ${shown}`,
  );
  const seen = new Set(rows.map((row) => row.id));
  if (!seen.has(id)) throw notFound();
  if (target === id) {
    throw invalid({ target: [`The objects belong to the tenant ${target}. Choose another one.`] });
  }
  if (!seen.has(target)) throw invalid({ target: [`The tenant ${target} does not exist.`] });
}

/** Returns the references to tenants that prevent the deletion of a tenant. */
export function movableReferrers(): Referrer[] {
  return referrersOf(tenants).filter(({ onDelete }) => onDelete === "restrict");
}

/** Returns the number of visible objects that belong to a tenant. */
async function countOf(ctx: Context, id: number): Promise<number> {
  const found = await countDependents(ctx, tenants, [id]);
  return found.filter(({ effect }) => effect === "restrict").reduce((sum, { count }) => sum + count, 0);
}

/** The objects of a resource that were changed. */
interface MovedObjects {
  readonly resource: Resource;
  readonly count: number;
}

interface Move {
  readonly ctx: Context;
  readonly tx: Transaction;
  readonly from: number;
  readonly to: number;
  readonly message: string | undefined;
}

/**
 * Updates the objects that refer to `from` and thereby prevent its deletion, so that they refer to `to`: all that the
 * caller may view, at most as many as a request may change, in one transaction. Returns what has moved, without kinds
 * of which nothing has. The number of statements depends on the number of kinds only. Errors: forbidden, invalid,
 * too_large.
 */
async function moveReferences(
  { ctx, from, to, message }: Omit<Move, "tx">,
): Promise<MovedObjects[]> {
  const referrers = movableReferrers().filter(({ resource: { map } }) => !matchesNothing(visible(ctx, map)));
  const moved = await ctx.database.write(async (tx) => {
    const moved: MovedObjects[] = [];
    let free = MAX_BULK_OBJECTS;
    for (const referrer of referrers) {
      const ids = await referringIds({ ctx, tx }, { referrer, id: from, limit: free });
      if (ids.length === 0) continue;
      await moveObjects({ ctx, tx, from, to, message }, referrer, ids);
      moved.push({ resource: referrer.resource, count: ids.length });
      free -= ids.length;
      if (free === 0) break;
    }
    return moved;
  });
  for (const one of moved) one.resource.afterCommit?.(ctx);
  return moved;
}

/** Returns the first objects that refer to an object and that the caller may view. */
async function referringIds(
  { ctx, tx }: Pick<Move, "ctx" | "tx">,
  { referrer, id, limit }: { referrer: Referrer; id: number; limit: number },
): Promise<number[]> {
  const { table, map } = referrer.resource;
  const seen = visibleSql(ctx, map) ?? sql`1`;
  const rows = await tx.all<{ id: number }>(
    sql`SELECT id FROM ${table} WHERE ${
      refersTo(referrer, idsIn([id]))
    } AND ${seen} ORDER BY id LIMIT ${limit}`,
  );
  return rows.map((row) => row.id);
}

async function moveObjects(
  { ctx, tx, to, message }: Move,
  { resource, field }: Referrer,
  ids: readonly number[],
): Promise<void> {
  const allowed = authorizeWrite(ctx, resource, "change");
  const call: WriteCall = { ctx, tx, resource, allowed };
  const rows = await loadForChange(call, ids, { bounded: true });
  if (rows.size < ids.length) {
    const kept = counted(ids.length - rows.size, resource.label, resource.labelPlural);
    throw new AppError("forbidden", `Nothing was changed: you may not change ${kept}.`);
  }
  const drafts = [...rows.values()].map((before) =>
    changeDraft(before, { input: { [field.name]: to }, message })
  );
  await storeUpdates(call, drafts, () => firstRefusal(resource, drafts));
}

/** Returns the error of the first object that cannot be changed. */
function firstRefusal(
  resource: Resource,
  drafts: readonly Draft[],
): AppError {
  const refused = drafts.find((draft) => anyErrors([draft]));
  const name = refused?.before && resource.display(refused.before);
  const messages = Object.entries(refused?.errors ?? {}).flatMap(([field, texts]) =>
    texts.map((text) => field === "__all__" ? text : `${field}: ${text}`)
  );
  return invalid({
    __all__: [`The ${resource.label} ${JSON.stringify(name)} was refused. ${messages.join(" ")}`],
  });
}
