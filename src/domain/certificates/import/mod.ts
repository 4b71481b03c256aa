/** Imports of certificates. */

export { bulkImport, bulkImportData } from "./bulk_import.ts";
export { bySubject, issuersOf } from "./bundle.ts";
export * from "./columns.ts";
export * from "./data_document.ts";
export * from "./import_pem.ts";
export { type FoundCertificate, previewRows, storeFound, storePlan } from "./import_rows.ts";
export * from "./inspect_bundle.ts";
export type { InspectedRenewal } from "./inspect_renewals.ts";
export { asListed } from "./listed.ts";
export { resolveNames } from "./named_references.ts";
export { type PemItem, readPemItem, readPemItems, separateChain } from "./pem_item.ts";
export { planRows } from "./plan.ts";
export { withoutForbidden } from "./row_assignments.ts";
export * from "./responses.ts";
export * from "./rows.ts";
