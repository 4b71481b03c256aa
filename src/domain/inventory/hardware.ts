/** What hosts are (manufacturers, device types, roles, platforms, clusters), and where (regions, sites, locations). */

import { z } from "zod";
import { finding } from "../../base/findings.ts";
import {
  cluster_types as clusterTypeTable,
  clusters as clusterTable,
  device_roles as roleTable,
  device_types as typeTable,
  locations as locationTable,
  manufacturers as manufacturerTable,
  platforms as platformTable,
  regions as regionTable,
  site_groups as siteGroupTable,
  sites as siteTable,
} from "../../db/schema/mod.ts";
import { boolean, customFieldsField, defineResource, derived, text } from "../../resource/mod.ts";
import { colorField, commentsField, slugField, tagsField } from "./common_fields.ts";
import { detailField, namedResource, nestedResource, statusField } from "./named.ts";
import { tenantField } from "./tenants.ts";

export const regions = nestedResource({
  objectType: "dcim.region",
  path: "dcim/regions",
  label: "region",
  table: regionTable,
});

export const siteGroups = nestedResource({
  objectType: "dcim.sitegroup",
  path: "dcim/site-groups",
  label: "site group",
  table: siteGroupTable,
});

export const sites = namedResource({
  objectType: "dcim.site",
  path: "dcim/sites",
  label: "site",
  table: siteTable,
  more: [
    statusField(["active", "planned", "staging", "decommissioning", "retired"]),
    detailField("region", {
      description: "The region it is in, by id, slug or name.",
      target: () => regions,
      onDelete: "clear",
    }),
    detailField("group", {
      description: "The group it belongs to, by id, slug or name.",
      target: () => siteGroups,
      onDelete: "clear",
    }),
    tenantField(),
    // Ansible's inventory plugin fails without it.
    {
      ...derived("prefix_count", {
        description: "Number of prefixes at the site: always 0, as this service has none.",
        output: z.int(),
        needs: [],
        read: () => 0,
      }),
      shown: { alias: true },
    },
    text("facility", { description: "The provider's name of the building or room.", max: 50 }),
  ],
});

export const locations = namedResource({
  objectType: "dcim.location",
  path: "dcim/locations",
  label: "location",
  table: locationTable,
  uniqueWithin: "site",
  more: [
    detailField("site", {
      description: "The site it is in, by id, slug or name.",
      target: () => sites,
      onDelete: "restrict",
      required: true,
    }),
  ],
});

const CLUSTER = "virtualization.cluster";

export const clusterTypes = namedResource({
  objectType: "virtualization.clustertype",
  path: "virtualization/cluster-types",
  label: "cluster type",
  table: clusterTypeTable,
});

export const clusters = defineResource({
  objectType: CLUSTER,
  path: "virtualization/clusters",
  label: "cluster",
  table: clusterTable,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    detailField("type", {
      description: "The technology, by id, slug or name.",
      target: () => clusterTypes,
      onDelete: "restrict",
      required: true,
    }),
    statusField(["planned", "staging", "active", "decommissioning", "offline"]),
    tenantField(),
    text("description", { description: "What it is.", max: 200 }),
    commentsField(),
    tagsField(CLUSTER),
    customFieldsField(CLUSTER),
  ],
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  unique: ["name"],
});

const DEVICE_TYPE = "dcim.devicetype";

export const manufacturers = namedResource({
  objectType: "dcim.manufacturer",
  path: "dcim/manufacturers",
  label: "manufacturer",
  table: manufacturerTable,
});

/** `dcim.devicetype`; its name is its model. */
export const deviceTypes = defineResource({
  objectType: DEVICE_TYPE,
  path: "dcim/device-types",
  label: "device type",
  table: typeTable,
  fields: [
    detailField("manufacturer", {
      description: "Its manufacturer, by id, slug or name.",
      target: () => manufacturers,
      onDelete: "restrict",
      required: true,
    }),
    text("model", { description: "Model; unique for the manufacturer.", required: true, max: 100 }),
    slugField(),
    text("part_number", { description: "The manufacturer's part number.", max: 50 }),
    text("description", { description: "What it is.", max: 200 }),
    commentsField(),
    tagsField(DEVICE_TYPE),
    customFieldsField(DEVICE_TYPE),
  ],
  brief: ["manufacturer", "model", "slug", "description"],
  displayNeeds: ["model"],
  display: (row) => String(row.model),
  search: { fields: ["model", "slug", "part_number", "description"] },
  order: [{ field: "model", descending: false }],
  unique: ["model", "slug"].map((column) => ({
    columns: ["manufacturer_id", column],
    field: "__all__",
    finding: finding("not_unique", { object: "device type", fields: `manufacturer and ${column}` }),
  })),
});

export const deviceRoles = namedResource({
  objectType: "dcim.devicerole",
  path: "dcim/device-roles",
  label: "device role",
  table: roleTable,
  more: [
    colorField(),
    boolean("vm_role", { description: "Whether virtual machines may have this role.", fallback: true }),
  ],
});

export const platforms = namedResource({
  objectType: "dcim.platform",
  path: "dcim/platforms",
  label: "platform",
  table: platformTable,
});

/** All of them, in the order of the documentation. */
export const HARDWARE = [
  sites,
  locations,
  regions,
  siteGroups,
  manufacturers,
  deviceTypes,
  deviceRoles,
  platforms,
  clusters,
  clusterTypes,
] as const;
