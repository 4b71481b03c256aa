/** Locations and hardware of hosts: sites, hardware, clusters. Also groups of tenants. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, notes, stamps } from "./columns.ts";

/** `tenancy.tenantgroup`. */
export const tenant_groups = sqliteTable("tenant_groups", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.region`. */
export const regions = sqliteTable("regions", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.sitegroup`. */
export const site_groups = sqliteTable("site_groups", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.site`. */
export const sites = sqliteTable("sites", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  status: text().notNull().default("active"),
  facility: label(),
  description: label(),
  region_id: integer(),
  group_id: integer(),
  tenant_id: integer(),
  ...stamps(),
  ...notes(),
});

/** `dcim.location`. Name and slug are unique within the site. */
export const locations = sqliteTable("locations", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  site_id: integer().notNull(),
  ...stamps(),
  ...notes(),
});

/** `dcim.manufacturer`. */
export const manufacturers = sqliteTable("manufacturers", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
});

/** `dcim.devicetype`. Model and slug are unique for the manufacturer. */
export const device_types = sqliteTable("device_types", {
  id: key(),
  manufacturer_id: integer().notNull(),
  model: text().notNull(),
  slug: text().notNull(),
  part_number: label(),
  description: label(),
  ...stamps(),
  ...notes(),
});

/** `dcim.devicerole`. `vm_role`: also for virtual machines. `color` is six hex digits. */
export const device_roles = sqliteTable("device_roles", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  color: text().notNull().default("9e9e9e"),
  vm_role: flag(1),
  description: label(),
  ...stamps(),
  ...notes(),
});

/** `dcim.platform`. */
export const platforms = sqliteTable("platforms", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
});

/** `virtualization.clustertype`. */
export const cluster_types = sqliteTable("cluster_types", {
  id: key(),
  name: text().notNull(),
  slug: text().notNull(),
  description: label(),
  ...stamps(),
  ...notes(),
});

/** `virtualization.cluster`. */
export const clusters = sqliteTable("clusters", {
  id: key(),
  name: text().notNull(),
  type_id: integer().notNull(),
  status: text().notNull().default("active"),
  description: label(),
  tenant_id: integer(),
  ...stamps(),
  ...notes(),
});
