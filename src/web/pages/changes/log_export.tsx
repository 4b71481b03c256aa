/** The lists of logs, with the link that downloads them as a file. */

import { download } from "../../../base/download.ts";
import { exportLog, type LOGS } from "../../../domain/system/object_changes/export_log.ts";
import type { Call, Route } from "../../call.ts";
import { Icon } from "../../kit/components/mod.ts";
import { defaultsOf, listedParams, listPage, type View } from "../../kit/mod.ts";
import { listPath } from "../../paths.ts";

/** Parameters of the list that do not affect a file. */
const PAGING = ["limit", "offset", "ordering"];

/** Renders the list of a log, with the link. */
export async function logList(call: Call, view: View): Promise<Response> {
  return await listPage(call, view, ({ listing: { url } }) => {
    const params = listedParams(url, defaultsOf(view));
    for (const name of PAGING) params.delete(name);
    return {
      actions: (
        <a role="button" class="secondary" href={`${listPath(view.resource)}export/?${params}`}>
          <Icon name="download" />Export CSV
        </a>
      ),
    };
  });
}

/** Returns the route of the file: `GET /audit-events/export/?format=csv&<filters>`. */
export function logExport(log: typeof LOGS[number]): Route {
  return {
    method: "GET",
    path: `${listPath(log)}export/`,
    handle: async ({ ctx, query: params }) =>
      await download(ctx, await exportLog({ ctx, log, params, unlimited: true })),
  };
}
