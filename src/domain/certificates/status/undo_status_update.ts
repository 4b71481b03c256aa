/** Takes back a bulk change of status, shortly after it was made. */

import { and, desc, eq, gte } from "drizzle-orm";
import { z } from "zod";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { select } from "../../../db/mod.ts";
import { object_changes } from "../../../db/schema/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { certificates, changeStored } from "../mod.ts";

/** Milliseconds during which a change can be taken back: long enough to notice it, short enough to be one's own mistake. */
const UNDO_MS = 10 * 60_000;

const UndoInput = objectBody({ request_id: z.uuid() });
const Undo = z.object({ restored_count: z.int() });

/**
 * Gives certificates back the status that a request of the same user took from them in the last ten minutes. Those whose
 * status has changed again since then are left alone. Errors: forbidden, invalid.
 */
export const undoStatusUpdate = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: UndoInput,
  output: Undo,
  run: async ({ ctx, input: { request_id }, allowed }): Promise<z.infer<typeof Undo>> => {
    const changes = await ctx.database.all(
      select({
        id: object_changes.object_id,
        before: object_changes.prechange,
        after: object_changes.postchange,
      })
        .from(object_changes)
        .where(and(
          eq(object_changes.request_id, request_id),
          eq(object_changes.user_id, ctx.actor.userId ?? -1),
          eq(object_changes.object_type, certificates.objectType),
          eq(object_changes.action, "update"),
          gte(object_changes.time, ctx.clock.now() - UNDO_MS),
        ))
        .orderBy(desc(object_changes.id)).limit(MAX_BULK_OBJECTS),
    );
    const statuses = new Map(
      changes.map(({ id, before, after }) => [id, { from: statusIn(before), to: statusIn(after) }]),
    );
    let restored = 0;
    await changeStored({ ctx, allowed: allowed(certificates), ids: [...statuses.keys()] }, (row) => {
      const change = statuses.get(row.id as number);
      if (change?.from === undefined || change.from === change.to || row.status !== change.to) {
        return undefined;
      }
      restored++;
      return { status: change.from };
    });
    return { restored_count: restored };
  },
});

/** The status in a snapshot of the change log. */
function statusIn(snapshot: string | null): string | undefined {
  const status = snapshot === null ? undefined : (JSON.parse(snapshot) as { status?: unknown }).status;
  return typeof status === "string" ? status : undefined;
}
