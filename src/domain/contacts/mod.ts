/** Contacts, their groups and roles. Their assignments are in `contact_assignments/`. */

export { isFollowed } from "./followed_assignments.ts";
export { contacts } from "./contacts.ts";
export { contactGroups } from "./groups.ts";
export { contactRoles } from "./roles.ts";
export { ownedBy, ownerField, ownerFilters, ownerIdSql, ownersSql } from "./owner.ts";
