/** Locations and hardware of hosts: sites, hardware, clusters. Also groups of tenants. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, named, notes, slugged, stamps } from "./columns.ts";

/** `tenancy.tenantgroup`. */
export const tenant_groups = sqliteTable("tenant_groups", {
  ...slugged(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.region`. */
export const regions = sqliteTable("regions", {
  ...slugged(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.sitegroup`. */
export const site_groups = sqliteTable("site_groups", {
  ...slugged(),
  ...notes(),
  parent_id: integer(),
});

/** `dcim.site`. */
export const sites = sqliteTable("sites", {
  ...slugged(),
  status: text().notNull().default("active"),
  facility: label(),
  region_id: integer(),
  group_id: integer(),
  tenant_id: integer(),
  ...notes(),
});

/** `dcim.location`. Name and slug are unique within the site. */
export const locations = sqliteTable("locations", {
  ...slugged(),
  site_id: integer().notNull(),
  ...notes(),
});

/** `dcim.manufacturer`. */
export const manufacturers = sqliteTable("manufacturers", {
  ...slugged(),
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
  ...slugged(),
  color: text().notNull().default("9e9e9e"),
  vm_role: flag(1),
  ...notes(),
});

/** `dcim.platform`. */
export const platforms = sqliteTable("platforms", {
  ...slugged(),
  ...notes(),
});

/** `virtualization.clustertype`. */
export const cluster_types = sqliteTable("cluster_types", {
  ...slugged(),
  ...notes(),
});

/** `virtualization.cluster`. */
export const clusters = sqliteTable("clusters", {
  ...named(),
  type_id: integer().notNull(),
  status: text().notNull().default("active"),
  tenant_id: integer(),
  ...notes(),
});
