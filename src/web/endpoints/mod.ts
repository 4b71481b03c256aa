/** The pages of endpoints, observations and scan jobs. */

import { probeEndpoint } from "../../domain/endpoints/probing/mod.ts";
import { endpoints } from "../../domain/endpoints/mod.ts";
import { type Call, ID, idOf, type Route } from "../call.ts";
import { viewRoutes } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { attempt, done } from "../responses.ts";
import { mapPage } from "./map.tsx";
import { addPasted, pastePage } from "./paste.tsx";
import { endpointView, observationView, scanJobView } from "./views.tsx";

export const endpointRoutes: readonly Route[] = [
  { method: "GET", path: "/endpoints/import/", handle: (call) => pastePage(call) },
  { method: "POST", path: "/endpoints/import/", handle: addPasted },
  { method: "GET", path: "/endpoints/map/", handle: mapPage },
  ...viewRoutes(endpointView),
  { method: "POST", path: `/endpoints/${ID}/probe/`, handle: probeOne },
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
