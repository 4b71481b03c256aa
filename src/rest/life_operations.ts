/** What happens to certificates in their life: renewal, changes of status, history. */

import { z } from "zod";
import { MAX_BULK_OBJECTS, MAX_RENEWAL_CANDIDATES } from "../base/limits.ts";
import { certificates, STATUSES } from "../domain/certificates/mod.ts";
import { certificateLifecycle } from "../domain/certificates/history/mod.ts";
import { renewalCandidates, renewCertificate } from "../domain/certificates/renewal/mod.ts";
import { bulkStatusUpdate, expirySweep } from "../domain/certificates/status/mod.ts";
import { idList, inputSchema } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Operation } from "./operation.ts";
import { neighbours } from "./paging.ts";
import { refuseUnknown } from "./parameters.ts";

const ROOT = "/api/plugins/certmgr/";
const BASE = `/api/${certificates.path}/`;
const OBJECT = z.record(z.string(), z.unknown());

type Parts =
  & Pick<Operation, "method" | "path" | "operationId" | "summary" | "description" | "handle">
  & Partial<Operation>;

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
      description:
        "Needs `renew` and `change` on the certificate. The successor is either `certificate`, the id of one that is " +
        "there, or is created out of `pem_content` with the tenant, the tags and the `expiry_notices` of the old " +
        "one. It must belong to the same tenant, share a name and expire later. In one transaction every assignment " +
        "moves to it and the old one becomes `replaced`; with `dry_run` nothing is stored. A certificate that has a " +
        "successor (`replaced_by`) is not renewed again: 409.",
      request: z.object({
        certificate: z.int().min(1).optional().describe("Id of the successor; either this or `pem_content`."),
        pem_content: inputSchema(certificates, "pem_content").optional().describe(
          "The successor as PEM, its chain after it.",
        ),
        private_key_location: inputSchema(certificates, "private_key_location").optional().describe(
          "Of a successor that comes as PEM.",
        ),
        dry_run: z.boolean().optional().describe("Whether only to show what would be done."),
      }),
      handle: async ({ ctx, id, json: body }) =>
        json(await renewCertificate({ ctx, id, input: await body() })),
    }),
    operation({
      method: "GET",
      path: `${BASE}{id}/renewal-candidates/`,
      operationId: "listRenewalCandidates",
      summary: "Likely successors",
      description:
        "Certificates of the same tenant that the caller may view, `active` or `pending`, with a name in common and a " +
        `later end; the one that lasts longest first, at most ${MAX_RENEWAL_CANDIDATES}, not paged.`,
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
      description:
        "Out of the change log, oldest first: who did what when, which fields it changed, and the status after it. " +
        "`complete` is false where older entries are gone: the operator may limit how long the change log is kept " +
        "(CERTMGR_CHANGELOG_RETENTION_DAYS). The certificate itself does not change by that.",
      parameters: ["limit", "offset"].map((name) => ({
        name,
        description: name === "limit" ? "Entries of the page." : "Entries to pass over.",
        schema: { type: "integer", minimum: 0 },
      })),
      handle: async (call) => {
        const { ctx, id, query } = call;
        const { results, complete, ...place } = await certificateLifecycle({ ctx, id, params: query });
        return json({ count: place.count, ...neighbours(call, place), complete, results });
      },
    }),
    operation({
      method: "POST",
      path: `${BASE}expiry-sweep/`,
      operationId: "sweepExpired",
      summary: "Set certificates that have run out to expired",
      description:
        "Needs `bulk_operations` and `change`. Of the certificates that the caller may change, those that are `active` " +
        "or `pending` past their `valid_to`; the service does the same for all of them every hour. Certificates that a " +
        "sweep set to `expired` while the clock was ahead get their status back. Answers `expired_count` and " +
        `\`restored_count\`. One transaction for each ${MAX_BULK_OBJECTS}.`,
      handle: async ({ ctx }) => json(await expirySweep({ ctx })),
    }),
    ...[`${BASE}bulk-status-update/`, `${ROOT}bulk-status-update/`].map((path, index) =>
      operation({
        method: "POST",
        path,
        operationId: index === 0 ? "bulkStatusUpdate" : "bulkStatusUpdateAtRoot",
        summary: "Set the status of many certificates",
        description:
          `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_BULK_OBJECTS} ids; those that are not there are ` +
          "listed in `not_found_ids`. All others are changed, or none.",
        request: z.object({ ids: idList(MAX_BULK_OBJECTS), status: z.enum(STATUSES) }),
        handle: async ({ ctx, json: body }) => json(await bulkStatusUpdate({ ctx, input: await body() })),
      })
    ),
  ];
}
