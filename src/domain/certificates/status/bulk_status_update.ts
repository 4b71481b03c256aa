/** Sets the status of many certificates at once. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { and } from "../../../filters/mod.ts";
import { quote, readIdList, REQUIRED } from "../../../resource/mod.ts";
import { certificates, changeStored, STATUSES } from "../mod.ts";

/** What was changed. */
export interface StatusUpdate {
  updated_count: number;
  not_found_ids: number[];
  results: { id: number; common_name: string; old_status: string; new_status: string }[];
}

/** `{ids, status}`; all or nothing. Errors: forbidden (the result of one lies outside the constraints too), invalid. */
export async function bulkStatusUpdate(
  { ctx, input }: { ctx: Context; input: unknown },
): Promise<StatusUpdate> {
  const { objectType } = certificates;
  const allowed = and(authorize(ctx, "bulk_operations", objectType), authorize(ctx, "change", objectType));
  const ids = readIdList(input, { field: "ids", max: MAX_BULK_OBJECTS });
  const status = readStatus((input as { status?: unknown }).status);
  const rows = await changeStored({ ctx, allowed, ids }, () => ({ status }));
  const results = ids.flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [{
      id,
      common_name: row.common_name as string,
      old_status: row.status as string,
      new_status: status,
    }];
  });
  return {
    updated_count: results.filter((one) => one.old_status !== one.new_status).length,
    not_found_ids: ids.filter((id) => !rows.has(id)),
    results,
  };
}

function readStatus(given: unknown): string {
  if (given === undefined) throw invalid({ status: [REQUIRED] });
  if (STATUSES.some((status) => status === given)) return given as string;
  throw invalid({ status: [`Expected one of ${STATUSES.join(", ")}, not ${quote(given)}.`] });
}
