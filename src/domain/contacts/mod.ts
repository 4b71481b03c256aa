/** Contacts, their groups and roles. Their assignments are in `contact_assignments/`. */

export { contactGroups, contactRoles, contacts, isFollowed, isForTenant } from "./contacts.ts";
export { ownedBy, ownerField, ownerIdSql, ownersSql } from "./owner.ts";
export { ownerFilters } from "./owner_filters.ts";
