/** Assignments. */

export { ASSIGNED_RESOURCES, type Assignment, assignments } from "./resource.ts";
export { bulkAssign, findCertificates, undoBulkAssign } from "./bulk_assign.ts";
