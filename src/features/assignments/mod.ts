/** Assignments. */

export { assignments } from "./resource.ts";
export { TARGET_TYPES, TARGETS } from "./targets.ts";
