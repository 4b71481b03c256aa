/** Imports from a NetBox with a certificate plugin. */

export {
  type DeferredReference,
  importObjects,
  type Outcome,
  setDeferredReferences,
} from "./import_objects.ts";
export type { ImportKind } from "./import_kind.ts";
export { KINDS } from "./kinds.ts";
export type { RemoteRecord } from "./remote_record.ts";
export { readInventoryHead, readInventoryLine, writeInventory } from "./inventory_document.ts";
