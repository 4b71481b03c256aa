/** Undoes a bulk assignment, shortly after it was made. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { ownRecentChanges } from "../../changes/mod.ts";
import { idsIn, type Reader } from "../../db/mod.ts";
import { objectBody, operation } from "../../operation/mod.ts";
import { loadForChange, removeRows, type WriteCall } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { assignments } from "./resource.ts";

const UndoInput = objectBody({ request_id: z.uuid() });
const Undo = z.object({ removed_count: z.int() });

/**
 * Deletes the assignments that a request of the same user created in the last ten minutes. Those that have changed since
 * then are left alone. Errors: forbidden, invalid.
 */
export const undoBulkAssign = operation({
  needs: [["bulk_operations", certificates], ["delete", assignments]],
  input: UndoInput,
  output: Undo,
  run: async ({ ctx, input: { request_id }, allowed }): Promise<z.infer<typeof Undo>> => {
    const removed = await ctx.database.write(async (tx) => {
      const call: WriteCall = { ctx, tx, resource: assignments, allowed: allowed(assignments) };
      const created = await ownRecentChanges(
        { ctx, reader: tx },
        { requestId: request_id, objectType: assignments.objectType, action: "create" },
      );
      const ids = await withoutLaterChanges(tx, created.map(({ object_id }) => object_id));
      const rows = await loadForChange(call, ids, { bounded: true });
      if (rows.size > 0) await removeRows(call, [...rows.values()], () => "Assignment undone");
      return rows.size;
    });
    if (removed > 0) assignments.afterCommit?.(ctx);
    return { removed_count: removed };
  },
});

/** Returns the ids of those assignments whose creation is their only change record. */
async function withoutLaterChanges(reader: Reader, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await reader.all<{ id: number }>(
    sql`SELECT object_id AS id FROM object_changes
        WHERE object_type = ${assignments.objectType} AND object_id IN ${idsIn(ids)}
        GROUP BY object_id HAVING count(*) = 1`,
  );
  return rows.map(({ id }) => id);
}
