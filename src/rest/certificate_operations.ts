/** Exports of certificates. */

import { z } from "zod";
import { download } from "../base/download.ts";
import { AppError, invalid } from "../base/errors.ts";
import { MAX_EXPORT_SIZE, MAX_FIELD_NAMES, MAX_FILTER_VALUES, MAX_QUERY_PARAMETERS } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import {
  EXPORT_FIELDS,
  EXPORT_PARAMETERS,
  exportCertificate,
  exportCertificates,
} from "../domain/certificates/export/mod.ts";
import { FORMATS } from "../formats/mod.ts";
import type { Answer, Operation, Parameter } from "./operation.ts";
import { filterParameters } from "./parameters.ts";

const BASE = `/api/${certificates.path}/`;
const TAG = "plugins/certmgr";

const SHAPE: readonly Parameter[] = [
  {
    name: "format",
    description: "Form of the document.",
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
    description:
      "Add pem_content (json and yaml only; in csv it has no effect: name pem_content among `fields`).",
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

const SCALAR = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** The value of a filter, or several of them. */
const FILTER = z.union([SCALAR, z.array(SCALAR).min(1).max(MAX_FILTER_VALUES)]);

/** Beside these, every filter by its name. */
const EXPORT_BODY = z.looseObject({
  format: z.enum(Object.keys(FORMATS)),
  ids: z.array(z.int().min(0)).max(MAX_FILTER_VALUES),
  fields: z.array(z.enum(EXPORT_FIELDS)).max(MAX_FIELD_NAMES),
  include_pem: z.boolean(),
  include_chain: z.boolean(),
}).partial().catchall(FILTER);

const EXPORTED: Answer = {
  description: "The document.",
  mediaTypes: Object.values(FORMATS).map((format) => format.mediaType),
};

const EXPORTS = "Needs `view`; ids that the caller may not view are left out. More certificates than " +
  `CERTMGR_MAX_EXPORT_SIZE (${MAX_EXPORT_SIZE} unless set) are refused, never cut off. Tenants and authorities are ` +
  "written by name, tags by slug, datetimes in UTC without a zone.";

/** The operations. */
export function certificateOperations(): Operation[] {
  return [
    {
      method: "GET",
      path: `${BASE}export/`,
      operationId: "exportCertificates",
      summary: "Export certificates",
      description: `${EXPORTS} Every filter of the list narrows it.`,
      tag: TAG,
      parameters: [...SHAPE, IDS, ...filterParameters(certificates)],
      answers: { 200: EXPORTED },
      handle: async ({ ctx, query }) => download(ctx, await exportCertificates({ ctx, params: query })),
    },
    {
      method: "POST",
      path: `${BASE}export/`,
      operationId: "exportCertificatesByBody",
      summary: "Export certificates; parameters in the body",
      description:
        `${EXPORTS} The body has the parameters that the query has by GET, lists as lists: \`format\`, \`ids\`, ` +
        "`fields`, `include_pem`, `include_chain`, and every filter by its name.",
      tag: TAG,
      request: EXPORT_BODY,
      answers: { 200: EXPORTED },
      handle: async ({ ctx, json: body }) =>
        download(ctx, await exportCertificates({ ctx, params: asParams(await body()) })),
    },
    {
      method: "GET",
      path: `${BASE}{id}/export/`,
      operationId: "exportCertificate",
      summary: "Export one certificate",
      description: "Needs `view`. The file is named for the certificate.",
      tag: TAG,
      parameters: SHAPE,
      answers: { 200: EXPORTED },
      handle: async ({ ctx, id, query }) =>
        download(ctx, await exportCertificate({ ctx, id, params: query })),
    },
  ];
}

/** The body of an export says the same as its query: lists are repeated parameters. An empty list narrows to nothing. */
function asParams(body: unknown): URLSearchParams {
  const params = new URLSearchParams();
  if (body === undefined) return params;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("invalid", "Expected an object with the parameters of the export.");
  }
  const known: readonly string[] = EXPORT_PARAMETERS;
  const given = Object.entries(body);
  if (given.length > MAX_QUERY_PARAMETERS) {
    throw new AppError(
      "invalid",
      `Expected at most ${MAX_QUERY_PARAMETERS} parameters, not ${given.length}.`,
    );
  }
  for (const [name, value] of given) {
    if (value === null && known.includes(name)) {
      throw invalid({ [name]: ["This field may not be null. Leave it out for its default."] });
    }
    if (Array.isArray(value) && value.length === 0) {
      if (name === "ids") params.append(name, "");
      else if (!known.includes(name)) throw invalid({ [name]: ["Expected at least one value."] });
    }
    if (Array.isArray(value) && value.length > MAX_FILTER_VALUES) {
      throw invalid({ [name]: [`Expected at most ${MAX_FILTER_VALUES} values, not ${value.length}.`] });
    }
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "object" && one !== null) {
        throw invalid({ [name]: ["Expected a text, a number, true, false or a list of these."] });
      }
      params.append(name, String(one));
    }
  }
  return params;
}
