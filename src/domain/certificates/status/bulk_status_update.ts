/** Changes the status of many certificates, and undoes such a change shortly after it. */

import { z } from "zod";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { ownRecentChanges, type Snapshot } from "../../../changes/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { idList } from "../../../resource/mod.ts";
import { certificates, changeStored, STATUSES } from "../mod.ts";

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

const StatusUpdateInput = objectBody({ ids: idList(MAX_BULK_OBJECTS), status: z.enum(STATUSES) });

const StatusUpdate = z.object({
  updated_count: z.int(),
  not_found_ids: z.array(z.int()),
  results: z.array(z.object({
    id: z.int(),
    common_name: z.string(),
    old_status: z.enum(STATUSES),
    new_status: z.enum(STATUSES),
  })),
});
type StatusUpdate = z.infer<typeof StatusUpdate>;

/**
 * Sets the status of all found certificates or of none. Errors: forbidden (also if one does not match the
 * caller's constraints afterwards), invalid.
 */
export const bulkStatusUpdate = operation({
  needs: [["bulk_operations", certificates], ["change", certificates]],
  input: StatusUpdateInput,
  output: StatusUpdate,
  run: async ({ ctx, input: { ids, status }, allowed }): Promise<StatusUpdate> => {
    const rows = await changeStored({ ctx, allowed: allowed(certificates), ids }, () => ({ status }));
    const results = ids.flatMap((id) => {
      const row = rows.get(id);
      return row === undefined ? [] : [{
        id,
        common_name: row.common_name,
        old_status: row.status as StatusUpdate["results"][number]["old_status"],
        new_status: status,
      }];
    });
    return {
      updated_count: results.filter((one) => one.old_status !== one.new_status).length,
      not_found_ids: ids.filter((id) => !rows.has(id)),
      results,
    };
  },
});
