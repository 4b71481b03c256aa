/** Undoes the creations of a request shortly after it. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { ownRecentChanges } from "../../changes/mod.ts";
import { idsIn, type Reader } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import { authorizeWrite } from "./create.ts";
import { loadForChange } from "./drafts.ts";
import { removeRows } from "./delete.ts";
import type { WriteCall } from "./write_call.ts";

/**
 * Deletes the objects that a request of the same user created in the last ten minutes, except those that have
 * changed since. Returns their number. Errors: forbidden.
 */
export async function undoCreations(
  { ctx, resource, requestId, message }: {
    ctx: Context;
    resource: Resource;
    requestId: string;
    /** For the change log. */
    message: string;
  },
): Promise<number> {
  const allowed = authorizeWrite(ctx, resource, "delete");
  const removed = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource, allowed };
    const created = await ownRecentChanges(
      { ctx, reader: tx },
      { requestId, objectType: resource.objectType, action: "create" },
    );
    const ids = await withoutLaterChanges(tx, resource, created.map(({ object_id }) => object_id));
    const rows = await loadForChange(call, ids, { bounded: true });
    if (rows.size > 0) await removeRows(call, [...rows.values()], () => message);
    return rows.size;
  });
  if (removed > 0) resource.hooks?.afterCommit?.(ctx);
  return removed;
}

/** Returns the ids of objects whose creation is their only change record. */
async function withoutLaterChanges(
  reader: Reader,
  { objectType }: Resource,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all<{ id: number }>(
    sql`SELECT object_id AS id FROM object_changes
        WHERE object_type = ${objectType} AND object_id IN ${idsIn(ids)}
        GROUP BY object_id HAVING count(*) = 1`,
  );
  return rows.map(({ id }) => id);
}
