/** Contacts: people and teams, and what they are responsible for. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { key, label, named, notes, slugged, stamps } from "./columns.ts";

/** `tenancy.contactgroup`. The name is unique among the groups of a parent. */
export const contact_groups = sqliteTable("contact_groups", {
  ...slugged(),
  parent_id: integer(),
  ...notes(),
});

/** `tenancy.contactrole`. */
export const contact_roles = sqliteTable("contact_roles", {
  ...slugged(),
  ...notes(),
});

/** `tenancy.contact`. */
export const contacts = sqliteTable("contacts", {
  ...named(),
  title: label(),
  phone: label(),
  email: label(),
  address: label(),
  link: label(),
  ...notes(),
});

/** Contacts in groups. */
export const contact_group_members = sqliteTable("contact_group_members", {
  contact_id: integer().notNull(),
  contact_group_id: integer().notNull(),
});

/** `tenancy.contactassignment`. Triggers delete rows with their object. */
export const contact_assignments = sqliteTable("contact_assignments", {
  id: key(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  contact_id: integer().notNull(),
  role_id: integer(),
  /** `primary`, `secondary`, `tertiary`, `inactive` or null. */
  priority: text(),
  ...stamps(),
});
