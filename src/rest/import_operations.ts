/** Imports of certificates: PEM, files, many at once. */

import { z } from "zod";
import { certificates } from "../features/certificates/mod.ts";
import {
  bulkImport,
  bulkImportData,
  IMPORT_PEM_INPUT,
  importFile,
  importPem,
} from "../features/import/mod.ts";
import { etagOfObject } from "../resource/mod.ts";
import { json } from "./http.ts";
import type { Answer, Call, Operation } from "./operation.ts";

const BASE = `/api/${certificates.path}/`;
const TAG = "plugins/certmgr";

const REPORT = z.object({
  created_count: z.int(),
  skipped_count: z.int(),
  certificates: z.array(z.record(z.string(), z.unknown())),
  skipped: z.array(z.object({ common_name: z.string(), serial_number: z.string(), reason: z.string() })),
});

const ROW = z.record(z.string(), z.unknown());
const ON_DUPLICATE = z.enum(["error", "skip"]).optional();

const FILE = z.object({
  file: z.file(),
  private_key_location: z.string().optional(),
  tenant: z.string().optional(),
  tags: z.array(z.string()).optional(),
});

const BULK_IMPORT = z.union([
  z.array(IMPORT_PEM_INPUT.omit({ split: true })),
  z.object({
    format: z.enum(["json", "csv"]).optional(),
    data: z.union([z.array(ROW), z.string()]),
    on_duplicate: ON_DUPLICATE,
  }),
]);

const BULK_DATA_IMPORT = z.object({
  content: z.string(),
  format: z.enum(["auto", "csv", "json"]).optional(),
  on_duplicate: ON_DUPLICATE,
});

/** The operations. */
export function importOperations(): Operation[] {
  return [
    post({
      path: `${BASE}import/`,
      operationId: "importCertificate",
      summary: "Import a certificate with its chain, or each certificate of a PEM text",
      request: IMPORT_PEM_INPUT,
      answers: {
        200: { description: "With `split`: all were there already.", schema: REPORT },
        201: {
          description: "The certificate; with `split` what was created and what was skipped.",
          schema: z.record(z.string(), z.unknown()),
        },
      },
      handle: importOne,
    }),
    post({
      path: `${BASE}import-file/`,
      operationId: "importCertificateFile",
      summary: "Import each certificate of an uploaded file: DER, PEM or PKCS#7",
      request: FILE,
      requestType: "multipart/form-data",
      answers: {
        200: { description: "All were there already.", schema: REPORT },
        201: { description: "What was created and what was skipped.", schema: REPORT },
      },
      handle: async ({ ctx, form }) => {
        const report = await importFile({ ctx, form: await form() });
        return json(report, { status: report.created_count > 0 ? 201 : 200 });
      },
    }),
    post({
      path: `${BASE}bulk-import/`,
      operationId: "bulkImportCertificates",
      summary: "Import many certificates from PEM, or their metadata",
      request: BULK_IMPORT,
      answers: created("What was created; for metadata what became of each row."),
      handle: async ({ ctx, json: body }) =>
        json(await bulkImport({ ctx, input: await body() }), { status: 201 }),
    }),
    post({
      path: `${BASE}bulk-data-import/`,
      operationId: "bulkImportCertificateData",
      summary: "Import the metadata of many certificates from CSV or JSON",
      request: BULK_DATA_IMPORT,
      answers: created("What was created."),
      handle: async ({ ctx, json: body }) =>
        json(await bulkImportData({ ctx, input: await body() }), { status: 201 }),
    }),
  ];
}

function post(parts: Omit<Operation, "method" | "tag">): Operation {
  return { method: "POST", tag: TAG, ...parts };
}

function created(description: string): Readonly<Record<number, Answer>> {
  return { 201: { description, schema: z.record(z.string(), z.unknown()) } };
}

async function importOne({ ctx, json: body }: Call): Promise<Response> {
  const result = await importPem({ ctx, input: await body() });
  if ("split" in result) return json(result.split, { status: result.split.created_count > 0 ? 201 : 200 });
  const { certificate } = result;
  const etag = etagOfObject(certificate);
  return json(certificate, {
    status: 201,
    headers: { location: String(certificate.url), ...(etag === undefined ? {} : { etag }) },
  });
}
