/** Imports of certificates. */

export type { ImportedBrief, ImportReport, Skipped } from "./answers.ts";
export { authorizeBulkImport, mayBulkImport, mayImport } from "./authorize_import.ts";
export { type BulkDataReport, bulkImportData } from "./bulk_data.ts";
export { bulkImport, type MetadataReport, type RowResult } from "./bulk_import.ts";
export { bulkImportPem, type BulkPemReport } from "./bulk_pem.ts";
export { IMPORT_COLUMNS, OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from "./data_columns.ts";
export { type DataDocument, readDocument } from "./data_document.ts";
export type { DataError } from "./data_input.ts";
export { withoutColumns } from "./import_document.ts";
export { importFile } from "./import_file.ts";
export { IMPORT_PEM_INPUT, importPem, storePem } from "./import_pem.ts";
export { OUTSIDE_MESSAGE, placesOutside, storePlan } from "./import_rows.ts";
export { type FoundCertificate, inspectBundle, type Inspection } from "./inspect_bundle.ts";
export { type Plan, planRows } from "./plan.ts";
export { rehearse } from "./rehearse.ts";
export type { ImportRow } from "./rows.ts";
export { resolveTenants } from "./tenant_texts.ts";
