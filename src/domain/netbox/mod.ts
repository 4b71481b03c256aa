/** The import from a NetBox with a certificate plugin: which objects, and what becomes of them here. */

export { importObjects, type Later, type Outcome, type Refused, setLater } from "./import_objects.ts";
export type { Kind } from "./kind.ts";
export { KINDS } from "./kinds.ts";
export type { RemoteRecord } from "./remote_record.ts";
export { readInventoryHead, readInventoryLine, writeInventory } from "./inventory_document.ts";
