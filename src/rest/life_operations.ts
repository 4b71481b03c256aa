/** Renewal, status changes and history of certificates, and advice about objects. */

import { z } from "zod";
import type { Context } from "../auth/mod.ts";
import { MAX_BULK_OBJECTS, MAX_RENEWAL_CANDIDATES } from "../base/limits.ts";
import { CertificateAdvice, EndpointAdvice } from "../domain/advice/schema.ts";
import { certificateLifecycle, LifecycleEntry } from "../domain/certificates/history/lifecycle.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { renewCertificate } from "../domain/certificates/renewal/renew.ts";
import { RenewalCandidate, renewalCandidates } from "../domain/certificates/renewal/renewal_candidates.ts";
import { bulkStatusUpdate } from "../domain/certificates/status/bulk_status_update.ts";
import { expirySweep } from "../domain/certificates/status/expiry_sweep.ts";
import { endpoints } from "../domain/endpoints/mod.ts";
import type { Resource } from "../resource/mod.ts";
import { jsonResponse, pageLinks } from "./http.ts";
import { get, type Operation, pageOf, post } from "./operation.ts";
import { refuseUnknown } from "./parameters.ts";

const BASE = `/api/${certificates.path}/`;

export function lifeOperations(): Operation[] {
  return [
    post(`${BASE}{id}/renew/`, renewCertificate, {
      operationId: "renewCertificate",
      summary: "Renew a certificate: its successor takes over its assignments",
      description:
        "Needs `renew` and `change` on the certificate. The successor is either `certificate`, the id of an existing " +
        "one, or is created from `pem_content` with tenant, tags, description, notes and notices of the old one. It " +
        "must belong to the same tenant, share a name and not be expired; one that expires earlier gives a warning. In one transaction every assignment moves to " +
        "it and the old one becomes `replaced`; with `dry_run` nothing is stored. An existing successor keeps its own fields. " +
        "A certificate that has a successor " +
        "(`replaced_by`) is not renewed again: 409.",
      response: "Both certificates, and how many assignments moved.",
    }),
    get(`${BASE}{id}/renewal-candidates/`, {
      operationId: "listRenewalCandidates",
      summary: "List likely successors",
      description:
        "Certificates of the same tenant that the caller may view, `active` or `pending`, with a name in common and a " +
        `later start or expiry, not expired; the latest expiry first, at most ${MAX_RENEWAL_CANDIDATES}, not paged.`,
      parameters: () => [],
      responses: { 200: { description: "The candidates.", schema: z.object(pageOf(RenewalCandidate)) } },
      handle: async ({ ctx, id, query }) => {
        refuseUnknown(query);
        const results = await renewalCandidates({ ctx, id });
        return jsonResponse({ count: results.length, next: null, previous: null, results });
      },
    }),
    get(`${BASE}{id}/lifecycle/`, {
      operationId: "getCertificateLifecycle",
      summary: "Show the history of a certificate",
      description:
        "From the change log, oldest first: time, user, action, changed fields, and the status after each step. " +
        "`complete` is false if older entries were deleted: the operator can limit how long the change log is kept " +
        "(CERTMGR_CHANGELOG_RETENTION_DAYS).",
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
    }),
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

export function adviceOperations(): Operation[] {
  return [
    adviceOn(certificates, CertificateAdvice, async (ctx, id) => {
      const { adviseOnCertificate } = await import("../domain/advice/mod.ts");
      return await adviseOnCertificate(ctx, id);
    }),
    adviceOn(endpoints, EndpointAdvice, async (ctx, id) => {
      const { adviseOnEndpoint } = await import("../domain/advice/mod.ts");
      return await adviseOnEndpoint(ctx, id);
    }),
  ];
}

function adviceOn(
  { path, label }: Pick<Resource, "path" | "label">,
  schema: z.ZodType,
  advise: (ctx: Context, id: number) => Promise<readonly unknown[]>,
): Operation {
  return get(`/api/${path}/{id}/advice/`, {
    operationId: `${label}Advice`,
    summary: `Show what follows from what is known about ${label === "endpoint" ? "an" : "a"} ${label}`,
    description:
      "Needs `view`. The most urgent first, as codes with parameters; not paged. The first one is the headline of the " +
      "page. `action` is what to do, null for nothing; conclusions about objects that the caller may not view are left out.",
    parameters: () => [],
    responses: { 200: { description: "The advice.", schema: z.object(pageOf(schema)) } },
    handle: async ({ ctx, id, query }) => {
      refuseUnknown(query);
      const results = await advise(ctx, id);
      return jsonResponse({ count: results.length, next: null, previous: null, results });
    },
  });
}
