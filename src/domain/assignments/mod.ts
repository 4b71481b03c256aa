/** Assignments. */

export { assignments } from "./resource.ts";
export { TARGET_TYPES, TARGETS } from "./targets.ts";
export { bulkAssign } from "./bulk_assign.ts";
