/** The list of endpoints. */

import { isGranted } from "../../../auth/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { type Html, Icon } from "../../kit/components/mod.ts";
import { listPage, may, type View } from "../../kit/mod.ts";

/** Renders the list, with the buttons that add several endpoints and probe the selected ones. */
export async function endpointList(call: Call, view: View): Promise<Response> {
  return await listPage(call, view, () => ({
    actions: (
      <>
        {may(call, endpoints, "add")
          ? <a role="button" class="secondary" href="/endpoints/import/">Add several</a>
          : null}
        <a role="button" class="secondary" href="/endpoints/map/">By certificate</a>
      </>
    ),
    selected: probeSelectedButton(call),
  }));
}

/** Renders the button that probes the selected endpoints, on platforms that can. */
function probeSelectedButton({ ctx }: Call): Html | null {
  if (ctx.probe === undefined || !isGranted(ctx, "probe", endpoints.objectType)) return null;
  return (
    <button type="submit" formaction="/endpoints/probe/" class="secondary">
      <Icon name="renew" />Probe
    </button>
  );
}
