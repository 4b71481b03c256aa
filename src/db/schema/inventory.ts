/** The objects to which certificates refer: tenants, tags, devices, virtual machines, services. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { customValues, key, label, stamps } from "./columns.ts";

/** `tenancy.tenant`. */
export const tenants = sqliteTable("tenants", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  /** JSON list of thresholds (`30d`, `33%`) for its certificates; null for those of the service. */
  expiry_notices: text(),
  group_id: integer(),
  comments: label(),
  custom_fields: customValues(),
});

/** `extras.tag`. `color` is six hex digits. */
export const tags = sqliteTable("tags", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  color: text().notNull().default("9e9e9e"),
  description: label(),
  ...stamps(),
});

/** The tags of objects. Triggers delete rows with their object and their tag. */
export const tagged_items = sqliteTable("tagged_items", {
  object_type: text().notNull(),
  object_id: integer().notNull(),
  tag_id: integer().notNull(),
});

/** `dcim.device`. The name is unique within its tenant. */
export const devices = sqliteTable("devices", {
  id: key(),
  name: text().notNull(),
  description: label(),
  tenant_id: integer(),
  ...stamps(),
  status: text().notNull().default("active"),
  role_id: integer(),
  device_type_id: integer(),
  platform_id: integer(),
  site_id: integer(),
  location_id: integer(),
  cluster_id: integer(),
  serial: label(),
  comments: label(),
  custom_fields: customValues(),
});

/** `virtualization.virtualmachine`. The name is unique within its tenant. */
export const virtual_machines = sqliteTable("virtual_machines", {
  id: key(),
  name: text().notNull(),
  description: label(),
  tenant_id: integer(),
  ...stamps(),
  status: text().notNull().default("active"),
  role_id: integer(),
  platform_id: integer(),
  site_id: integer(),
  cluster_id: integer(),
  comments: label(),
  custom_fields: customValues(),
});

/** `ipam.service`, on a device or a virtual machine (both parent columns, or neither). */
export const services = sqliteTable("services", {
  id: key(),
  name: text().notNull(),
  /** `tcp`, `udp` or `sctp`. */
  protocol: text().notNull().default("tcp"),
  /** JSON list of port numbers. */
  ports: text().notNull().default("[]"),
  description: label(),
  parent_object_type: text(),
  parent_object_id: integer(),
  tenant_id: integer(),
  ...stamps(),
  comments: label(),
  custom_fields: customValues(),
});
