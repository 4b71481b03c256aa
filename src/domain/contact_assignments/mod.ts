/** Assignments of contacts to certificates and to what certificates belong to or are installed on. */

export { contactAssignments } from "./resource.ts";
