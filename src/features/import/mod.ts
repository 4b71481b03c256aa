/** Imports of certificates. */

export { LEGACY_ADD_OPENS_IMPORTS } from "./authorize_import.ts";
export { IMPORT_PEM_INPUT, type ImportedBrief, importPem, type SplitImport, storePem } from "./import_pem.ts";
export type { Skipped } from "./store_members.ts";
