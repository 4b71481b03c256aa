/** Imports from a NetBox with a certificate plugin. */

export { NetboxImport, type Outcome } from "./import_objects.ts";
export { type ImportKind, KINDS, type RemoteRecord } from "./kinds.ts";
