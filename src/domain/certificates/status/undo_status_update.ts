/** Undoes a bulk change of the status shortly after it. */

import { z } from "zod";
import { ownRecentChanges, type Snapshot } from "../../../changes/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { certificates, changeStored } from "../mod.ts";

const UndoInput = objectBody({ request_id: z.uuid() });
const Undo = z.object({ restored_count: z.int() });

/**
 * Restores the status of the certificates that a request of the same user changed in the last ten minutes,
 * except those whose status has changed again since. Errors: forbidden, invalid.
 */
export const undoStatusUpdate = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: UndoInput,
  output: Undo,
  run: async ({ ctx, input: { request_id }, allowed }): Promise<z.infer<typeof Undo>> => {
    const changes = await ownRecentChanges(
      { ctx, reader: ctx.database },
      { requestId: request_id, objectType: certificates.objectType, action: "update" },
    );
    const statuses = new Map(
      changes.map(({ object_id, prechange, postchange }) => [
        object_id,
        { from: statusIn(prechange), to: statusIn(postchange) },
      ]),
    );
    let restored = 0;
    await changeStored({ ctx, allowed: allowed(certificates), ids: [...statuses.keys()] }, (row) => {
      const change = statuses.get(row.id);
      if (change?.from === undefined || change.from === change.to || row.status !== change.to) {
        return undefined;
      }
      restored++;
      return { status: change.from };
    });
    return { restored_count: restored };
  },
});

/** Returns the status in a snapshot of the change log. */
function statusIn(snapshot: Snapshot | null): string | undefined {
  const status = snapshot?.status;
  return typeof status === "string" ? status : undefined;
}
