/** Renewal, status changes and history of certificates. */

import { MAX_BULK_OBJECTS, MAX_RENEWAL_CANDIDATES } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { certificateLifecycle, LifecycleEntry } from "../domain/certificates/history/mod.ts";
import { RenewalCandidate, renewalCandidates, renewCertificate } from "../domain/certificates/renewal/mod.ts";
import { bulkStatusUpdate, expirySweep } from "../domain/certificates/status/mod.ts";
import { z } from "zod";
import { jsonResponse, pageLinks } from "./http.ts";
import { type Operation, pageOf, post } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";

const TAG = "plugins/certmgr";
const BASE = `/api/${certificates.path}/`;

export function lifeOperations(): Operation[] {
  return [
    post(`${BASE}{id}/renew/`, renewCertificate, {
      operationId: "renewCertificate",
      summary: "Renew a certificate: its successor takes over its assignments",
      description:
        "Needs `renew` and `change` on the certificate. The successor is either `certificate`, the id of an existing " +
        "one, or is created from `pem_content` with the tenant, the tags and the `expiry_notices` of the old one. It " +
        "must belong to the same tenant, share a name and not be expired; one that expires earlier gives a warning. In one transaction every assignment moves to " +
        "it and the old one becomes `replaced`; with `dry_run` nothing is stored. An existing successor keeps its own fields, " +
        "except those of `copy_if_empty`. A certificate that has a successor " +
        "(`replaced_by`) is not renewed again: 409.",
      response: "Both certificates, and how many assignments moved.",
    }),
    {
      method: "GET",
      path: `${BASE}{id}/renewal-candidates/`,
      operationId: "listRenewalCandidates",
      summary: "List likely successors",
      description:
        "Certificates of the same tenant that the caller may view, `active` or `pending`, with a name in common and a " +
        `later start or expiry, not expired; the latest expiry first, at most ${MAX_RENEWAL_CANDIDATES}, not paged.`,
      tag: TAG,
      parameters: () => [],
      responses: { 200: { description: "The candidates.", schema: z.object(pageOf(RenewalCandidate)) } },
      handle: async ({ ctx, id, query }) => {
        refuseUnknown(query);
        const results = await renewalCandidates({ ctx, id });
        return jsonResponse({ count: results.length, next: null, previous: null, results });
      },
    },
    {
      method: "GET",
      path: `${BASE}{id}/lifecycle/`,
      operationId: "getCertificateLifecycle",
      summary: "Show the history of a certificate",
      description:
        "From the change log, oldest first: time, user, action, changed fields, and the status after each step. " +
        "`complete` is false if older entries were deleted: the operator can limit how long the change log is kept " +
        "(CERTMGR_CHANGELOG_RETENTION_DAYS).",
      tag: TAG,
      parameters: () =>
        ["limit", "offset"].map((name) => ({
          name,
          description: name === "limit" ? "Entries of the page." : "Entries to skip.",
          schema: { type: "integer", minimum: 0 },
        })),
      responses: {
        200: {
          description: "A page of the history.",
          schema: z.object({ ...pageOf(LifecycleEntry), complete: z.boolean() }),
        },
      },
      handle: async (call) => {
        const { ctx, id, query } = call;
        const { results, complete, ...place } = await certificateLifecycle({ ctx, id, params: query });
        return jsonResponse({ count: place.count, ...pageLinks(call, place), complete, results });
      },
    },
    post(`${BASE}expiry-sweep/`, expirySweep, {
      operationId: "sweepExpired",
      summary: "Set expired certificates to the status expired",
      description:
        "Needs `bulk_operations` and `change`. Sets `active` and `pending` certificates that the caller may change " +
        "to `expired` after their `valid_to`; the service does the same for all certificates every hour. Certificates " +
        "that a sweep set to `expired` while the clock was ahead get their former status back. " +
        `Each transaction changes up to ${MAX_BULK_OBJECTS}.`,
      response: "Numbers of certificates that were changed.",
    }),
    ...[`${BASE}bulk-status-update/`, "/api/plugins/certmgr/bulk-status-update/"].map((path, index) =>
      post(path, bulkStatusUpdate, {
        operationId: index === 0 ? "bulkStatusUpdate" : "bulkStatusUpdateAtRoot",
        summary: "Set the status of many certificates",
        description:
          `Needs \`bulk_operations\` and \`change\`. Up to ${MAX_BULK_OBJECTS} ids; those that do not exist are ` +
          "listed in `not_found_ids`. All others are changed, or none.",
        response: "The certificates that were found, with their old and new status.",
      })
    ),
  ];
}
