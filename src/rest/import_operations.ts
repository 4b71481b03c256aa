/** Imports of certificates: PEM, files, many at once. */

import { z } from "zod";
import { BULK_IMPORT_MAX_BATCH_SIZE, MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import {
  bulkImport,
  bulkImportData,
  IMPORT_PEM_INPUT,
  importFile,
  importPem,
  OPTIONAL_COLUMNS,
  REQUIRED_COLUMNS,
} from "../domain/certificates/import/mod.ts";
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

const COLUMNS =
  `Required: ${named(REQUIRED_COLUMNS)}. Optional: ${named(OPTIONAL_COLUMNS)}. Others that an export ` +
  "has are passed over, unknown ones are refused. Dates are `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS` (UTC). Tenants are " +
  "named by name, slug or id, tags by slug, authorities by name.";
const CSV =
  "CSV: a row of column names, then a certificate a row; cells between commas, semicolons or tabs; quotes, " +
  "line ends and formula guards as exports write them; `sans` and `tags` are lists with `;` between their members.";
const JSON_ROWS =
  "JSON: a list of objects with these names; `sans` and `tags` are lists, `key_size` is a number.";

const ROW = z.record(z.string(), z.unknown()).describe(`A certificate by its columns. ${COLUMNS}`);
const ON_DUPLICATE = z.enum(["error", "skip"]).optional().describe(
  "What becomes of a row whose serial number and issuer are stored already or come twice: `error` (so unless said) " +
    "refuses the whole document, `skip` passes over the row.",
);

const FILE = z.object({
  file: z.file().describe("DER, PEM or PKCS#7; found out by its content."),
  private_key_location: z.string().optional().describe("Of all of them."),
  tenant: z.string().optional().describe("By name, slug or id; of all of them."),
  tags: z.array(z.string()).optional().describe("By slug, a part each; of all of them."),
});

const BULK_IMPORT = z.union([
  z.array(IMPORT_PEM_INPUT.omit({ split: true })).min(1).max(BULK_IMPORT_MAX_BATCH_SIZE),
  z.object({
    format: z.enum(["json", "csv"]).optional().describe("Form of `data`; `json` unless said."),
    data: z.union([z.array(ROW).min(1), z.string().min(1)]).describe(
      `The rows as a list, or as text. ${CSV} ${JSON_ROWS}`,
    ),
    on_duplicate: ON_DUPLICATE,
  }),
]);

const BULK_DATA_IMPORT = z.object({
  content: z.string().min(1).describe(`The table as text. ${CSV} ${JSON_ROWS} ${COLUMNS}`),
  format: z.enum(["auto", "csv", "json"]).optional().describe(
    "Form of `content`; `auto` (so unless said) takes what begins with a bracket for JSON.",
  ),
  on_duplicate: ON_DUPLICATE,
});

const BULK =
  "Needs `bulk_operations` and `import`. At most CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE certificates " +
  `(${BULK_IMPORT_MAX_BATCH_SIZE} unless set). All are created, or none; a private key anywhere refuses it.`;

/** The operations. */
export function importOperations(): Operation[] {
  return [...singleImports(), ...bulkImports()];
}

function singleImports(): Operation[] {
  return [
    post({
      path: `${BASE}import/`,
      operationId: "importCertificate",
      summary: "Import a certificate with its chain, or each certificate of a PEM text",
      description:
        "Needs `import`. The first certificate of `pem_content` becomes a record, and the others, which must be of its " +
        "chain, its `issuer_chain`; one that is stored already is refused. With `split` each becomes a record with the " +
        "chain that the text has for it, and those that are stored are passed over. All or nothing; a private key " +
        "anywhere refuses it.",
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
      description:
        `Needs \`import\`. Up to ${MAX_MEMBERS} certificates and ${MAX_PEM_TEXT_BYTES} bytes. Each becomes a record with the ` +
        "chain that the file has for it; those that are stored are passed over. All or nothing; a private key " +
        "anywhere refuses it.",
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
  ];
}

function bulkImports(): Operation[] {
  return [
    post({
      path: `${BASE}bulk-import/`,
      operationId: "bulkImportCertificates",
      summary: "Import many certificates from PEM, or their metadata",
      description:
        `${BULK} A list has objects with \`pem_content\` as \`import/\` takes them (a refusal names the bad ones by \`index\`, ` +
        "from 0); an object has a table in `data`, as `bulk-data-import/`, and is answered row by row.",
      request: BULK_IMPORT,
      answers: created("What was created; for metadata what became of each row."),
      handle: async ({ ctx, json: body }) =>
        json(await bulkImport({ ctx, input: await body() }), { status: 201 }),
    }),
    post({
      path: `${BASE}bulk-data-import/`,
      operationId: "bulkImportCertificateData",
      summary: "Import the metadata of many certificates from CSV or JSON",
      description:
        `${BULK} Row 1 is the first row of data, row 0 the document; every bad cell is among the \`errors\` by \`row\`, ` +
        "`field` and `message`. Tenants, tags and authorities that rows name must be there.",
      request: BULK_DATA_IMPORT,
      answers: created("What was created."),
      handle: async ({ ctx, json: body }) =>
        json(await bulkImportData({ ctx, input: await body() }), { status: 201 }),
    }),
  ];
}

function named(columns: readonly string[]): string {
  return columns.map((column) => `\`${column}\``).join(", ");
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
