/** Assignments. */

export { OTHER_TENANT } from "./prepare.ts";
export { assignments } from "./resource.ts";
export { TARGET_TYPES, TARGETS } from "./targets.ts";
export { bulkAssign } from "./bulk_assign.ts";
