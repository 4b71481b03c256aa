/** The audit log with its download. */

import type { Call } from "../../call.ts";
import { listPage, type View } from "../../kit/mod.ts";

/** Parameters of the list that do not affect a file. */
const PAGING = ["limit", "offset", "ordering"];

/** Renders the list, with the link that downloads it as a file. */
export async function auditList(call: Call, view: View): Promise<Response> {
  return await listPage(call, view, ({ listing: { url } }) => {
    const params = new URLSearchParams(url.search);
    for (const name of PAGING) params.delete(name);
    return {
      actions: <a role="button" class="secondary" href={`/audit-events/export/?${params}`}>Export as CSV</a>,
    };
  });
}
