/** Operations on incidents other than those that every resource has. */

import { z } from "zod";
import { download } from "../base/download.ts";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { certificates, MEMBER_STATES } from "../domain/certificates/mod.ts";
import {
  excludeMembers,
  INCIDENT_REPORT_FORMATS,
  incidentReport,
  incidents,
  includeMembers,
  listMembers,
  Member,
  previewIncident,
} from "../domain/incidents/mod.ts";
import { FORMATS } from "../formats/mod.ts";
import { listResponse } from "./http.ts";
import { get, type Operation, pageOf, post } from "./operation.ts";
import { listParameters } from "./parameters.ts";

const BASE = `/api/${incidents.path}/`;

export function incidentOperations(): Operation[] {
  return [
    post(`${BASE}preview/`, previewIncident, {
      operationId: "previewIncident",
      summary: "Count the certificates that criteria select",
      description: "Needs `manage_incidents`, and `view` on certificates. Stores nothing.",
      response: "Numbers by tenant, owner and issuer, the largest first.",
    }),
    get(`${BASE}{id}/certificates/`, {
      operationId: "listIncidentCertificates",
      summary: "List the certificates of an incident",
      description:
        "The list of certificates with their `state` in the incident. Needs `view` on incidents and certificates. " +
        "Archived certificates are included.",
      parameters: () => [
        {
          name: "state",
          description: "State in the incident; several are OR.",
          schema: { type: "string", enum: MEMBER_STATES },
          repeatable: true,
        },
        ...listParameters(certificates),
      ],
      responses: {
        200: {
          description: "A page of certificates.",
          schema: z.object({ ...pageOf(z.looseObject(Member.shape).partial()), count: z.int().nullable() }),
        },
      },
      handle: async (call) =>
        listResponse(call, await listMembers({ ctx: call.ctx, id: call.id, params: call.query })),
    }),
    post(`${BASE}{id}/exclude/`, excludeMembers, {
      operationId: "excludeIncidentCertificates",
      summary: "Exclude certificates of an incident",
      description:
        `Needs \`manage_incidents\`, and \`view\` on certificates. Up to ${MAX_BULK_OBJECTS} ids of certificates, and the reason.`,
      response: "How many were excluded.",
    }),
    post(`${BASE}{id}/include/`, includeMembers, {
      operationId: "includeIncidentCertificates",
      summary: "Include excluded certificates again",
      description:
        `Needs \`manage_incidents\`, and \`view\` on certificates. Up to ${MAX_BULK_OBJECTS} ids of certificates.`,
      response: "How many were included.",
    }),
    get(`${BASE}{id}/report/`, {
      operationId: "getIncidentReport",
      summary: "Report when the certificates of an incident were replaced",
      description:
        "A row for each certificate that the caller may view. Needs `view` on incidents and certificates.",
      parameters: () => [{
        name: "format",
        description: "Format of the report.",
        schema: { type: "string", enum: INCIDENT_REPORT_FORMATS, default: "json" },
      }],
      responses: {
        200: {
          description: "The report.",
          schema: z.array(z.looseObject({ id: z.int() })),
          mediaTypes: [FORMATS.json.mediaType, FORMATS.csv.mediaType],
        },
      },
      handle: async ({ ctx, id, query: params }) =>
        await download(ctx, await incidentReport({ ctx, id, params })),
    }),
  ];
}
