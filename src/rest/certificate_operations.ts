/** Exports of certificates. */

import { download } from "../base/download.ts";
import { MAX_EXPORT_SIZE } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import { EXPORT_FIELDS } from "../domain/certificates/export/fields.ts";
import { exportByBody } from "../domain/certificates/export/export_by_body.ts";
import { exportCertificate, exportCertificates } from "../domain/certificates/export/export_certificates.ts";
import { FORMATS } from "../formats/mod.ts";
import { get, type Operation, type Parameter, post, type ResponseDoc } from "./operation.ts";
import { filterParameters } from "./parameters.ts";

const BASE = `/api/${certificates.path}/`;

const SHAPE: readonly Parameter[] = [
  {
    name: "format",
    description: "Format of the document.",
    schema: { type: "string", enum: Object.keys(FORMATS), default: "json" },
  },
  {
    name: "fields",
    description: "Fields to include.",
    schema: { type: "string", enum: EXPORT_FIELDS },
    repeatable: true,
  },
  {
    name: "include_pem",
    description: "Add pem_content (json and yaml only; for csv, add pem_content to `fields`).",
    schema: { type: "boolean", default: false },
  },
  {
    name: "include_chain",
    description: "Include the chains (pem only).",
    schema: { type: "boolean", default: true },
  },
];
const IDS: Parameter = {
  name: "ids",
  description: "Only these certificates.",
  schema: { type: "integer" },
  repeatable: true,
};

const EXPORTED: ResponseDoc = {
  description: "The document.",
  mediaTypes: Object.values(FORMATS).map((format) => format.mediaType),
};

const EXPORTS = "Needs `view`; ids that the caller may not view are ignored. More certificates than " +
  `CERTMGR_MAX_EXPORT_SIZE (${MAX_EXPORT_SIZE} by default) are refused; the export is never truncated. Tenants and authorities are ` +
  "written by name, tags by slug, datetimes in UTC without a zone.";

export function certificateOperations(): Operation[] {
  return [
    get(`${BASE}export/`, {
      operationId: "exportCertificates",
      summary: "Export certificates",
      description: `${EXPORTS} All filters of the list apply.`,
      parameters: () => [...SHAPE, IDS, ...filterParameters(certificates)],
      responses: { 200: EXPORTED },
      handle: async ({ ctx, query }) => download(ctx, await exportCertificates({ ctx, params: query })),
    }),
    post(`${BASE}export/`, exportByBody, {
      operationId: "exportCertificatesByBody",
      summary: "Export certificates; parameters in the body",
      description:
        `${EXPORTS} The body has the query parameters of GET, lists as lists: \`format\`, \`ids\`, ` +
        "`fields`, `include_pem`, `include_chain`, and all filters.",
      response: EXPORTED.description,
      responses: { 200: EXPORTED },
      respond: (document, { ctx }) => download(ctx, document),
    }),
    get(`${BASE}{id}/export/`, {
      operationId: "exportCertificate",
      summary: "Export one certificate",
      description: "Needs `view`. The file is named after the certificate.",
      parameters: () => SHAPE,
      responses: { 200: EXPORTED },
      handle: async ({ ctx, id, query }) =>
        download(ctx, await exportCertificate({ ctx, id, params: query })),
    }),
  ];
}
