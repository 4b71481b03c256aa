/** Imports of certificates: PEM, files, and many at once. */

import { BULK_IMPORT_MAX_BATCH_SIZE, MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import { certificates } from "../domain/certificates/mod.ts";
import {
  bulkImport,
  bulkImportData,
  importFile,
  importPem,
  ImportReport,
  isImportReport,
} from "../domain/certificates/import/mod.ts";
import { created, jsonResponse } from "./http.ts";
import { type Operation, post } from "./operation.ts";

const BASE = `/api/${certificates.path}/`;

const BULK = "Needs `bulk_operations` and `import`. At most CERTMGR_IMPORT_MAX_ROWS rows of a table, and " +
  `CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE (default ${BULK_IMPORT_MAX_BATCH_SIZE}) certificates as PEM. All are created, or none. Private keys are refused.`;

const NOTHING_NEW: Operation["responses"] = {
  200: { description: "Nothing was created.", schema: ImportReport },
};

export function importOperations(): Operation[] {
  return [
    post(`${BASE}import/`, importPem, {
      operationId: "importCertificate",
      summary: "Import a certificate with its chain, or each certificate of a PEM text",
      description:
        "Needs `import`. The first certificate of `pem_content` is stored, and the others, which must belong to its " +
        "chain, become its `issuer_chain`; an existing certificate is refused (default). With `split` each certificate is " +
        "stored with its chain from the text, and existing ones are skipped (default). `on_duplicate` changes these " +
        "defaults. All are stored or none. Private keys are refused.",
      status: 201,
      response: "The certificate; a report if `split` is true, or `on_duplicate` is `skip` or `update`.",
      responses: NOTHING_NEW,
      respond: (output) => isImportReport(output) ? reported(output) : created(output),
    }),
    post(`${BASE}import-file/`, importFile, {
      operationId: "importCertificateFile",
      summary: "Import each certificate of an uploaded file: DER, PEM or PKCS#7",
      description:
        `Needs \`import\`. Up to ${MAX_MEMBERS} certificates and ${MAX_PEM_TEXT_BYTES} bytes. Each becomes a record with its ` +
        "chain from the file; existing ones are skipped (default). All are stored or none. Private keys are refused.",
      requestType: "multipart/form-data",
      status: 201,
      response: "The created and skipped certificates.",
      responses: NOTHING_NEW,
      respond: reported,
    }),
    post(`${BASE}bulk-import/`, bulkImport, {
      operationId: "bulkImportCertificates",
      summary: "Import many certificates from PEM, or their metadata",
      description:
        `${BULK} The body is one of these: a list of bodies of \`import/\` (an error response names the invalid ones by ` +
        "`index`, from 0); an object with a table in `data`, as in `bulk-data-import/`, whose response has a result for " +
        "each row.",
      status: 201,
      response: "The created certificates; for metadata the result of each row.",
    }),
    post(`${BASE}bulk-data-import/`, bulkImportData, {
      operationId: "bulkImportCertificateData",
      summary: "Import the metadata of many certificates from CSV, JSON, YAML or PEM",
      description:
        `${BULK} Row 1 is the first row of data, row 0 the document; \`errors\` lists every invalid cell by \`row\`, ` +
        "`field` and `message`. Tenants, tags and authorities that rows name must exist.",
      status: 201,
      response: "The created certificates.",
    }),
  ];
}

/** Responds with 201 only if something was created. */
function reported(report: ImportReport): Response {
  return jsonResponse(report, { status: report.created_count > 0 ? 201 : 200 });
}
