/** Assignments. */

export { OTHER_TENANT } from "./prepare.ts";
export { type Assignment, assignments } from "./resource.ts";
export { ASSIGNED_RESOURCES } from "./targets.ts";
export { bulkAssign } from "./bulk_assign.ts";
export { undoBulkAssign } from "./undo_bulk_assign.ts";
