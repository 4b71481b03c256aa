/** The objects to which certificates refer: tenants, tags, devices, virtual machines, services. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { label, named, notes, slugged } from "./columns.ts";

/** `tenancy.tenant`. */
export const tenants = sqliteTable("tenants", {
  ...slugged(),
  /** JSON list of thresholds (`30d`, `33%`) for its certificates; null for those of the service. */
  expiry_notices: text(),
  group_id: integer(),
  ...notes(),
});

/** `extras.tag`. `color` is six hex digits. */
export const tags = sqliteTable("tags", {
  ...slugged(),
  color: text().notNull().default("9e9e9e"),
});

/** The tags of objects. Triggers delete rows with their object and their tag. */
export const tagged_items = sqliteTable("tagged_items", {
  object_type: text().notNull(),
  object_id: integer().notNull(),
  tag_id: integer().notNull(),
});

/** `dcim.device`. The name is unique within its tenant. */
export const devices = sqliteTable("devices", {
  ...named(),
  tenant_id: integer(),
  status: text().notNull().default("active"),
  role_id: integer(),
  device_type_id: integer(),
  platform_id: integer(),
  site_id: integer(),
  location_id: integer(),
  cluster_id: integer(),
  serial: label(),
  ...notes(),
});

/** `virtualization.virtualmachine`. The name is unique within its tenant. */
export const virtual_machines = sqliteTable("virtual_machines", {
  ...named(),
  tenant_id: integer(),
  status: text().notNull().default("active"),
  role_id: integer(),
  platform_id: integer(),
  site_id: integer(),
  cluster_id: integer(),
  ...notes(),
});

/** `ipam.service`, on a device or a virtual machine (both parent columns, or neither). */
export const services = sqliteTable("services", {
  ...named(),
  /** `tcp`, `udp` or `sctp`. */
  protocol: text().notNull().default("tcp"),
  /** JSON list of port numbers. */
  ports: text().notNull().default("[]"),
  parent_object_type: text(),
  parent_object_id: integer(),
  tenant_id: integer(),
  ...notes(),
});
