/** What happens to certificates in their life: renewal, changes of status, history. */

import { z } from "zod";
import { certificates } from "../features/certificates/mod.ts";
import { certificateLifecycle } from "../features/lifecycle/mod.ts";
import { renewalCandidates, renewCertificate } from "../features/renewal/mod.ts";
import { bulkStatusUpdate, expirySweep } from "../features/status_changes/mod.ts";
import { json } from "./http.ts";
import type { Operation } from "./operation.ts";
import { neighbours } from "./paging.ts";
import { refuseUnknown } from "./parameters.ts";

const ROOT = "/api/plugins/certmgr/";
const BASE = `/api/${certificates.path}/`;
const OBJECT = z.record(z.string(), z.unknown());

type Parts = Pick<Operation, "method" | "path" | "operationId" | "summary" | "handle"> & Partial<Operation>;

function operation(parts: Parts): Operation {
  return {
    tag: "plugins/certmgr",
    answers: { 200: { description: "The result.", schema: OBJECT } },
    ...parts,
  };
}

/** The operations. */
export function lifeOperations(): Operation[] {
  return [
    operation({
      method: "POST",
      path: `${BASE}{id}/renew/`,
      operationId: "renewCertificate",
      summary: "Hand everything over to a successor; a dry run shows what would be done",
      request: z.object({
        certificate: z.int().optional(),
        pem_content: z.string().optional(),
        private_key_location: z.string().optional(),
        dry_run: z.boolean().optional(),
      }),
      handle: async ({ ctx, id, json: body }) =>
        json(await renewCertificate({ ctx, id, input: await body() })),
    }),
    operation({
      method: "GET",
      path: `${BASE}{id}/renewal-candidates/`,
      operationId: "listRenewalCandidates",
      summary: "Likely successors",
      parameters: [],
      handle: async ({ ctx, id, query }) => {
        refuseUnknown(query);
        const results = await renewalCandidates({ ctx, id });
        return json({ count: results.length, next: null, previous: null, results });
      },
    }),
    operation({
      method: "GET",
      path: `${BASE}{id}/lifecycle/`,
      operationId: "getCertificateLifecycle",
      summary: "Its history",
      parameters: ["limit", "offset"].map((name) => ({
        name,
        description: name === "limit" ? "Entries of the page." : "Entries to pass over.",
        schema: { type: "integer", minimum: 0 },
      })),
      handle: async (call) => {
        const { ctx, id, query } = call;
        const { results, ...place } = await certificateLifecycle({ ctx, id, params: query });
        return json({ count: place.count, ...neighbours(call, place), results });
      },
    }),
    operation({
      method: "POST",
      path: `${BASE}expiry-sweep/`,
      operationId: "sweepExpired",
      summary: "Set certificates that have run out to expired",
      handle: async ({ ctx }) => json(await expirySweep({ ctx })),
    }),
    ...[`${BASE}bulk-status-update/`, `${ROOT}bulk-status-update/`].map((path, index) =>
      operation({
        method: "POST",
        path,
        operationId: index === 0 ? "bulkStatusUpdate" : "bulkStatusUpdateAtRoot",
        summary: "Set the status of many certificates",
        request: z.object({ ids: z.array(z.int()), status: z.string() }),
        handle: async ({ ctx, json: body }) => json(await bulkStatusUpdate({ ctx, input: await body() })),
      })
    ),
  ];
}
