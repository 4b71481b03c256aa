/** The pages of endpoints, observations and scan jobs. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { forbidden } from "../../../base/errors.ts";
import { bulkProbe, probeEndpoint } from "../../../domain/endpoints/probing/probe_endpoint.ts";
import { type Endpoint, endpoints } from "../../../domain/endpoints/mod.ts";
import { type Call, ID, idOf, type Route } from "../../call.ts";
import { CertificateName } from "../certificates/mod.ts";
import { backOf, listPage, may, selectedIds, type View, viewRoutes } from "../../kit/mod.ts";
import { updateObject } from "../../../resource/mod.ts";
import { idsOf } from "../../forms.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done, objectAction, refused } from "../../responses.ts";
import { endpointView, observationView, scanJobView } from "./views.tsx";
import { Icon, type RowGroups } from "../../kit/components/mod.ts";
import { addSeveralRoutes } from "./add_several.tsx";

export const endpointRoutes: readonly Route[] = [
  ...addSeveralRoutes,
  { method: "GET", path: "/endpoints/map/", handle: endpointMap },
  ...viewRoutes(endpointView, { list: endpointList }),
  { method: "POST", path: "/endpoints/probe/", handle: probeSelected },
  objectAction(endpoints, "probe/", {
    run: ({ ctx }, id) => probeEndpoint({ ctx, id }),
    codes: ["conflict"],
    report: ({ state_message }) => `Probed. ${state_message}`,
  }),
  { method: "POST", path: `/endpoints/${ID}/expect/`, handle: expectServed },
  ...viewRoutes(observationView),
  ...viewRoutes(scanJobView),
];

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

/** Renders the list, with the buttons that add several endpoints and probe the selected ones. */
async function endpointList(call: Call, view: View): Promise<Response> {
  return await listPage(call, view, ({ listing: { rows, url } }) => ({
    // Those that were just added are probed soon.
    refreshed: call.ctx.probe !== undefined &&
      (url.searchParams.has("id") || url.searchParams.has("id__gte")) &&
      rows.some(({ state }) => state === "pending"),
    actions: may(call, endpoints, "add")
      ? <a role="button" class="secondary" href="/endpoints/import/">Add several</a>
      : null,
    // Some platforms cannot probe.
    selected: call.ctx.probe === undefined || !isGranted(call.ctx, "probe", endpoints.objectType)
      ? null
      : (
        <button type="submit" formaction="/endpoints/probe/" class="secondary">
          <Icon name="renew" />Probe
        </button>
      ),
  }));
}

/** The endpoints of a certificate. */
const BY_CERTIFICATE: RowGroups<Endpoint> = {
  key: ({ certificate }) => String(certificate?.id),
  head: ([first, ...others]) => (
    <>
      {first?.certificate ? <CertificateName brief={first.certificate} /> : "Without a known certificate"}
      {" "}
      <span class="faint">{counted(others.length + 1, "endpoint")}</span>
    </>
  ),
};

/** Renders the list with the endpoints that serve the same certificate below each other, the worst first. */
async function endpointMap(call: Call): Promise<Response> {
  return await listPage(call, { ...endpointView, ordering: "certificate,severity" }, () => ({
    groups: BY_CERTIFICATE,
  }));
}
