/** Operations on endpoints other than those that every resource has. */

import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { endpoints, observations } from "../domain/endpoints/mod.ts";
import { bulkProbe, probeEndpoint } from "../domain/endpoints/probing/probe_endpoint.ts";
import { MAX_PUSHED, pushObservations } from "../domain/endpoints/probing/push.ts";
import { importEndpoints } from "../domain/endpoints/importing/import_endpoints.ts";
import { type Operation, post } from "./operation.ts";

const BASE = `/api/${endpoints.path}/`;

export function endpointOperations(): Operation[] {
  return [
    post(`${BASE}{id}/probe/`, probeEndpoint, {
      operationId: "probeEndpoint",
      summary: "Probe an endpoint now",
      description:
        "Needs `probe` on the endpoint. Connects to at most 8 addresses of the host, within 10 seconds each, " +
        "and stores what they present: observations, certificates that the inventory does not have " +
        "(CERTMGR_DISCOVER), and the state of the endpoint. A server that does not answer is a state, not an error. " +
        "On a platform without sockets: 409.",
      response: "The endpoint with its newest `observation`.",
      responses: {
        409: {
          description: "The platform has no sockets.",
          schema: { $ref: "#/components/schemas/Detail" },
        },
      },
    }),
    post(`/api/${observations.path}/push/`, pushObservations, {
      operationId: "pushObservations",
      summary: "Report what an agent observed",
      description:
        "Needs `push_observations` on endpoints and nothing else; its constraints select the endpoints. Endpoints that do " +
        `not exist are created, with the source \`agent:<name>\`. Up to ${MAX_PUSHED} observations, and the same number ` +
        "of certificates from files. Repeated reports of the same endpoint, address and certificates change nothing. What " +
        "cannot be read is listed in `errors`, the rest is stored. Large reports are stored in several transactions; repeat one that fails. " +
        "Private keys are refused.",
      response: "Counts, and what could not be read.",
    }),
    post(`${BASE}import/`, importEndpoints, {
      operationId: "importEndpoints",
      summary: "Import endpoints from CSV or a list",
      description:
        "Needs `add`; if its constraints exclude a row, all rows are refused. Rows that are not valid are listed in `errors` " +
        "and the others are stored. Endpoints that exist already are skipped, so that a corrected text can be imported again.",
      response: "Counts, and the rows that were not stored.",
    }),
    post(`${BASE}bulk-probe/`, bulkProbe, {
      operationId: "bulkProbeEndpoints",
      summary: "Probe many endpoints as soon as possible",
      description:
        `Needs \`probe\`. Up to ${MAX_BULK_OBJECTS} ids. The service probes them before all others that are ` +
        "due; endpoints that are disabled or that an agent probes are found, but not queued.",
      status: 202,
      response: "The number of queued probes, and ids that do not exist.",
    }),
  ];
}
