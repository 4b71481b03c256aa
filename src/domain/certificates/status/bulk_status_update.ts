import { z } from "zod";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import { idList } from "../../../resource/mod.ts";
import { certificates, changeStored, STATUSES } from "../mod.ts";

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
