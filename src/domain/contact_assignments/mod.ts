/** Assignments of contacts to certificates, their tenants and authorities, and the objects that use them. */

export { type ContactAssignment, contactAssignments } from "./resource.ts";
export { assignContact, undoAssignContact } from "./assign_contact.ts";
