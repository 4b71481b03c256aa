/** Imports of certificates. */

export { ImportReport, type RowResult } from "./responses.ts";
export { authorizeBulkImport, authorizeImport, mayBulkImport, mayImport } from "./authorize_import.ts";
export { bulkImportData, withoutColumns } from "./bulk_data.ts";
export { bulkImport } from "./bulk_import.ts";
export {
  columnMeant,
  IMPORT_COLUMNS,
  isImportColumn,
  KNOWN_COLUMNS,
  OPTIONAL_COLUMNS,
  REQUIRED_COLUMNS,
} from "./columns.ts";
export { type DataDocument, readDocument, type SpreadsheetReading } from "./data_document.ts";
export type { DataError, DataFormat } from "./data_input.ts";
export { importFile } from "./import_file.ts";
export {
  importPem,
  isImportReport,
  readSeparately,
  readWithChain,
  storeSeparately,
  storeSuccessors,
} from "./import_pem.ts";
export { type FoundCertificate, storeFound } from "./store_found.ts";
export { previewRows, storePlan } from "./import_rows.ts";
export {
  inspectBundle,
  type InspectedCertificate,
  type Inspection,
  type InspectionInput,
  type SourceFile,
} from "./inspect_bundle.ts";
export type { InspectedRenewal } from "./inspect_renewals.ts";
export { bySubject, issuersOf } from "./bundle.ts";
export { type PemItem, separateChain } from "./pem_item.ts";
export { planRows } from "./plan.ts";
export {
  type ImportedRow,
  type ImportRow,
  type Inherited,
  mergeErrors,
  messagesOf,
  ON_DUPLICATE,
  type OnDuplicate,
  type PlannedRow,
  type RowStatus,
} from "./rows.ts";
export { isWorkbook, sourceKind } from "./source_kind.ts";
export { resolveNames } from "./named_references.ts";
