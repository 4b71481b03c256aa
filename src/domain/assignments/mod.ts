/** Assignments. */

export { assignments } from "./resource.ts";
export { TARGET_TYPES, TARGETS } from "./targets.ts";
export { BULK_ASSIGN_INPUT, bulkAssign, type BulkAssignment } from "./bulk_assign.ts";
