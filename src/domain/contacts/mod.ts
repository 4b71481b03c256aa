/** Contacts, their groups and roles. What they are assigned to is in `contact_assignments/`. */

export { contacts } from "./contacts.ts";
export { contactGroups } from "./groups.ts";
export { contactRoles } from "./roles.ts";
export { ownedBy, type OwnedCertificate, ownerField, ownerFilters, ownerIdSql, ownersSql } from "./owner.ts";
