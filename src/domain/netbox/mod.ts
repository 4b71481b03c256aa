/** The import from a NetBox with a certificate plugin: which objects, and what becomes of them here. */

export {
  type DeferredReference,
  importObjects,
  type Outcome,
  type RefusedObject,
  setDeferredReferences,
} from "./import_objects.ts";
export type { ImportKind } from "./kind.ts";
export { KINDS } from "./kinds.ts";
export type { RemoteRecord } from "./remote_record.ts";
export { readInventoryHead, readInventoryLine, writeInventory } from "./inventory_document.ts";
