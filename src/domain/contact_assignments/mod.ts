/** Assignments of contacts to certificates, their tenants and authorities, and the objects that use them. */

export { contactAssignments } from "./resource.ts";
