/** Assignments. */

export { assignments, TARGET_TYPES } from "./resource.ts";
