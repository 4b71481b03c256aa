/** The pages of what describes hosts: sites, hardware, clusters, and groups of tenants. */

import {
  clusters,
  clusterTypes,
  deviceRoles,
  deviceTypes,
  locations,
  manufacturers,
  platforms,
  regions,
  siteGroups,
  sites,
  tenantGroups,
} from "../../domain/inventory/mod.ts";
import type { Resource } from "../../resource/mod.ts";
import { capitalized } from "../messages.ts";
import { listPath } from "../paths.ts";
import type { View } from "./view.ts";

/** All of them. */
export const hostDetailViews: readonly View[] = [
  small(tenantGroups, {
    empty: "Tenant groups bring tenants together, for example by division.",
    lists: [["tenants", "group_id"]],
  }),
  {
    ...small(sites, {
      empty: "A site is a place where hosts are, such as a data centre.",
      lists: [["devices", "site_id"], ["virtual-machines", "site_id"], ["locations", "site_id"]],
    }),
    columns: ["slug", "status", "region", "tenant"],
    filters: ["status", "region_id", "group_id", "tenant_id"],
  },
  {
    ...small(locations, {
      empty: "A location is a room or floor within a site.",
      lists: [["devices", "location_id"]],
    }),
    columns: ["slug", "site", "description"],
    filters: ["site_id"],
  },
  small(regions, { empty: "Regions group sites by where they are.", lists: [["sites", "region_id"]] }),
  small(siteGroups, {
    empty: "Site groups group sites by what they are for.",
    lists: [["sites", "group_id"]],
  }),
  small(manufacturers, {
    empty: "Manufacturers make the device types.",
    lists: [["device-types", "manufacturer_id"]],
  }),
  {
    ...small(deviceTypes, {
      empty: "A device type is a manufacturer's model.",
      lists: [["devices", "device_type_id"]],
    }),
    columns: ["manufacturer", "slug", "part_number"],
    filters: ["manufacturer_id"],
  },
  small(deviceRoles, {
    empty: "Roles say what devices and virtual machines are used for.",
    lists: [["devices", "role_id"], ["virtual-machines", "role_id"]],
  }),
  small(platforms, {
    empty: "Platforms are the operating systems of hosts.",
    lists: [["devices", "platform_id"], ["virtual-machines", "platform_id"]],
  }),
  {
    ...small(clusters, {
      empty: "Virtual machines run on clusters.",
      lists: [["virtual-machines", "cluster_id"], ["devices", "cluster_id"]],
    }),
    columns: ["type", "status", "tenant", "description"],
    filters: ["type_id", "status", "tenant_id"],
  },
  small(clusterTypes, {
    empty: "Cluster types are technologies of clusters.",
    lists: [["clusters", "type_id"]],
  }),
];

/** The view of a resource with a name and a slug. `lists` are those of objects that refer to it, with the filter. */
function small(
  resource: Resource,
  { empty, lists }: { empty: string; lists: readonly (readonly [name: string, filter: string])[] },
): View {
  const nested = "parent" in resource.fields;
  const inside: readonly (readonly [string, string])[] = nested
    ? [[listPath(resource).slice(1, -1), "parent_id"]]
    : [];
  return {
    resource,
    columns: [...(nested ? ["parent"] : []), "slug", "description"],
    filters: nested ? ["parent_id"] : [],
    empty: `No ${resource.labelPlural} yet. ${empty}`,
    related: ({ id }) =>
      [...lists, ...inside].map(([name, filter]) =>
        [capitalized(name.replaceAll("-", " ")), `/${name}/?${filter}=${id}`] as const
      ),
  };
}
