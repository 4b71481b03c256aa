/** Operations that run compliance policies and report their results. */

import { z } from "zod";
import { download } from "../base/download.ts";
import { CHECKS_PER_TRANSACTION, MAX_BULK_OBJECTS, MAX_COMPLIANCE_CHECKS } from "../base/limits.ts";
import { certificates, STATUSES } from "../domain/certificates/mod.ts";
import {
  ANY_STATUS,
  bulkCheckCertificates,
  checkCertificate,
  CheckCounts,
  checks,
  complianceReport,
  readReportQuery,
  REPORT_FORMATS,
  reportDocument,
} from "../domain/compliance/mod.ts";
import { FORMATS } from "../formats/mod.ts";
import { jsonResponse } from "./http.ts";
import { type Call, get, type Operation, type Parameter, post } from "./operation.ts";
import { filterParameters } from "./parameters.ts";

const TAG = "plugins/certmgr";
const ROOT = `/api/${TAG}/`;
const BASE = `/api/${certificates.path}/`;
const BRIEF = z.looseObject({ id: z.int() }).nullable();
const TREND = z.array(z.object({ date: z.iso.date(), ...CheckCounts.shape })).nullable();
const REPORT = z.object({
  generated_at: z.iso.datetime(),
  ...CheckCounts.shape,
  certificates_checked: z.int(),
  certificates_failing: z.int(),
  by_severity: z.array(z.object({ severity: z.string(), ...CheckCounts.shape })),
  by_policy: z.array(z.object({ policy: BRIEF, ...CheckCounts.shape })),
  by_tenant: z.array(z.object({ tenant: BRIEF, ...CheckCounts.shape })),
  by_owner: z.array(z.object({ owner: BRIEF, ...CheckCounts.shape })),
  failing_certificates: z.object({
    count: z.int(),
    results: z.array(
      z.object({
        certificate: BRIEF,
        critical: z.int(),
        warning: z.int(),
        info: z.int(),
        ...CheckCounts.shape,
      }),
    ),
  }),
  trend: TREND,
});

export function complianceOperations(): Operation[] {
  return [
    post(`${BASE}{id}/compliance-check/`, checkCertificate, {
      operationId: "checkCompliance",
      summary: "Run compliance policies on a certificate: those named, or all enabled ones",
      description:
        "Needs `manage_compliance`. A named policy runs even if it is disabled; an unknown one is an " +
        "error. Policies for other tenants or tags are not counted. The results replace those of the last run.",
      response: "The results.",
    }),
    post(`${BASE}bulk-compliance-check/`, bulkCheckCertificates, {
      operationId: "bulkCheckCompliance",
      summary: "Run compliance policies on many certificates",
      description:
        "Needs `bulk_operations` and `manage_compliance`. The same policies run on each of up to " +
        `${MAX_BULK_OBJECTS} certificates, at most ${MAX_COMPLIANCE_CHECKS} checks in total; ids that do not exist are ` +
        "listed in `missing_ids`. The results are read at `compliance-checks/`. More than " +
        `${CHECKS_PER_TRANSACTION} are stored in several transactions: after an error, those of some certificates may ` +
        "be stored. Send the request again to replace them.",
      response: "Numbers of results.",
    }),
    get(`${ROOT}compliance-report/`, {
      operationId: "getComplianceReport",
      summary: "Report the results of compliance policies",
      description:
        "Reports the stored results that the caller may view; runs nothing. All filters of the compliance checks " +
        "apply; `tenant_id`, `owner` and `has_owner` are those of the certificate. Results of disabled policies count only if policies " +
        "are named. Only certificates in use count (`active` and `pending` ones; without a successor also `expired` ones, and " +
        "`revoked` ones that are still assigned to an object or served at an endpoint), unless `status` or a certificate is given. `limit` and `offset` page the failing certificates, worst first. `trend` is null for callers " +
        "who do not see all results.",
      parameters: reportParameters,
      responses: {
        200: {
          description: "The report; with `format=csv` as one table.",
          schema: REPORT,
          mediaTypes: [FORMATS.json.mediaType, FORMATS.csv.mediaType],
        },
      },
      handle: report,
    }),
  ];
}

function reportParameters(): Parameter[] {
  return [
    {
      name: "format",
      description: "Format of the report.",
      schema: { type: "string", enum: REPORT_FORMATS, default: "json" },
    },
    {
      name: "limit",
      description: "Failing certificates of the page; 0 for the largest page.",
      schema: { type: "integer", minimum: 0 },
    },
    {
      name: "offset",
      description: "Failing certificates to skip.",
      schema: { type: "integer", minimum: 0 },
    },
    {
      name: "tenant_id",
      description: "Tenant of the certificates.",
      schema: { type: ["integer", "string"] },
      repeatable: true,
    },
    {
      name: "owner",
      description: "Contact that owns the certificates.",
      schema: { type: "integer" },
      repeatable: true,
    },
    {
      name: "has_owner",
      description: "Whether the certificates have an owner.",
      schema: { type: "boolean" },
    },
    {
      name: "status",
      description:
        `Status of the certificates; several are OR, \`${ANY_STATUS}\` selects all. Default: the certificates in use.`,
      schema: { type: "string", enum: [...STATUSES, ANY_STATUS] },
      repeatable: true,
    },
    ...filterParameters(checks),
  ];
}

async function report({ ctx, query: params }: Call): Promise<Response> {
  const query = readReportQuery(params, ctx);
  const made = await complianceReport({ ctx, query });
  return query.format === "json"
    ? jsonResponse(made)
    : await download(ctx, reportDocument({ ctx, query }, made));
}
