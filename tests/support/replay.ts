/** Replays the change log and compares the resulting state with the actual one. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { Context } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { EVERYTHING } from "../../src/filters/mod.ts";
import { loadForChange, type Resource, snapshot } from "../../src/resource/mod.ts";
import { changeLog } from "./change_log.ts";

/** Rows by `type id`, as the change log has them. */
type Rows = Map<string, unknown>;

/** Asserts that replaying the whole change log results in exactly the stored rows of these resources. */
export async function assertReplayable(ctx: Context, types: readonly string[]): Promise<void> {
  const [replayed, stored] = [await replay(ctx, types), await storedRows(ctx, types)];
  assert.deepEqual(
    [...replayed.keys()].sort(),
    [...stored.keys()].sort(),
    "Rows by the change log and in the store",
  );
  for (const [key, row] of stored) assert.deepEqual(replayed.get(key), row, key);
  assert(stored.size > 0);
}

async function replay({ database }: Context, types: readonly string[]): Promise<Rows> {
  const rows: Rows = new Map();
  for (const { action, object_type, object_id, prechange, postchange } of await changeLog(database)) {
    if (!types.includes(object_type)) continue;
    const key = `${object_type} ${object_id}`;
    // Each change begins with the result of the one before it.
    assert.deepEqual(JSON.parse(prechange ?? "null"), rows.get(key) ?? null, `Before ${action} of ${key}`);
    if (action === "delete") rows.delete(key);
    else rows.set(key, JSON.parse(postchange ?? "null"));
  }
  return rows;
}

async function storedRows(ctx: Context, types: readonly string[]): Promise<Rows> {
  const rows: Rows = new Map();
  for (const resource of resources.filter(({ objectType }) => types.includes(objectType))) {
    for (const [id, row] of await loadAll(ctx, resource)) {
      rows.set(`${resource.objectType} ${id}`, JSON.parse(JSON.stringify(snapshot(resource, row))));
    }
  }
  return rows;
}

async function loadAll(ctx: Context, resource: Resource): ReturnType<typeof loadForChange> {
  const found = await ctx.database.all<{ id: number }>(sql`SELECT id FROM ${resource.table}`);
  const ids = found.map(({ id }) => id);
  return await ctx.database.write((tx) => loadForChange({ ctx, tx, resource, allowed: EVERYTHING }, ids));
}
