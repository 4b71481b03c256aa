/** The pages of endpoints, observations and scan jobs. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { forbidden } from "../../../base/errors.ts";
import { bulkProbe, probeEndpoint } from "../../../domain/endpoints/probing/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import { type Call, ID, idOf, type Route } from "../../call.ts";
import { backOf, may, selectedIds, viewRoutes } from "../../kit/mod.ts";
import { updateObject } from "../../../resource/mod.ts";
import { idsOf } from "../../forms.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done, refused } from "../../responses.ts";
import { endpointList } from "./list.tsx";
import { mapPage } from "./map.tsx";
import { addPasted, pastePage } from "./paste.tsx";
import { endpointView, observationView, scanJobView } from "./views.tsx";

export const endpointRoutes: readonly Route[] = [
  { method: "GET", path: "/endpoints/import/", handle: (call) => pastePage(call) },
  { method: "POST", path: "/endpoints/import/", handle: addPasted },
  { method: "GET", path: "/endpoints/map/", handle: mapPage },
  ...viewRoutes(endpointView, { list: endpointList }),
  { method: "POST", path: "/endpoints/probe/", handle: probeSelected },
  { method: "POST", path: `/endpoints/${ID}/probe/`, handle: probeOne },
  { method: "POST", path: `/endpoints/${ID}/expect/`, handle: expectServed },
  ...viewRoutes(observationView),
  ...viewRoutes(scanJobView),
];

/** Probes an endpoint and shows the result. */
async function probeOne(call: Call): Promise<Response> {
  const path = objectPath(endpoints, idOf(call));
  return await attempt({ call, back: path, codes: ["conflict"] }, async () => {
    const { state_message } = await probeEndpoint({ ctx: call.ctx, id: idOf(call) });
    return done(call, path, `Probed. ${state_message}`);
  });
}

/** Expects the certificate that an endpoint served when its page was shown. */
async function expectServed(call: Call): Promise<Response> {
  if (!may(call, endpoints, "change")) throw forbidden();
  const id = idOf(call);
  const back = objectPath(endpoints, id);
  const [certificate] = idsOf(call.form, "certificate");
  if (certificate === undefined) return refused(call, back, "No certificate was chosen.");
  return await attempt({ call, back, codes: ["invalid", "forbidden"] }, async () => {
    const input = { expected_certificate: certificate };
    await updateObject({ ctx: call.ctx, resource: endpoints, id, input, mode: "patch" });
    return done(call, back, "This certificate is expected from now on. The next probe updates the state.");
  });
}

/** Lets the service probe the selected endpoints first, and returns to the same list. */
async function probeSelected(call: Call): Promise<Response> {
  if (!isGranted(call.ctx, "probe", endpoints.objectType)) throw forbidden();
  const back = backOf(call, endpoints);
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    const ids = await selectedIds(call, endpointView);
    if (ids.length === 0) return refused(call, back, "Select at least one endpoint.");
    const { queued_count: queued } = await bulkProbe({ ctx: call.ctx, input: { ids } });
    const rest = new Set(ids).size - queued;
    const left = rest === 0 ? "" : ` ${numberText(rest)} not probed by the service.`;
    return queued === 0 ? refused(call, back, "None of these endpoints is probed by the service.") : done(
      call,
      back,
      `Probing ${counted(queued, "endpoint")}. Reload the list to see the results.${left}`,
    );
  });
}
