/** Views of resources that describe hosts (sites, hardware, clusters), and of groups of tenants. */

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
} from "../../../domain/inventory/mod.ts";
import type { Resource } from "../../../resource/mod.ts";
import { capitalized } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import type { View } from "../../kit/view.ts";

export const hostDetailViews: readonly View[] = [
  small(tenantGroups, {
    empty: "No tenant groups yet. They group tenants, for example by division.",
    lists: [["tenants", "group_id"]],
  }),
  {
    ...small(sites, {
      empty: "No sites yet. A site is a place with hosts, such as a data center.",
      lists: [["devices", "site_id"], ["virtual-machines", "site_id"], ["locations", "site_id"]],
    }),
    columns: ["slug", "status", "region", "tenant"],
    filters: ["status", "region_id", "group_id", "tenant_id"],
  },
  {
    ...small(locations, {
      empty: "No locations yet. A location is a room or floor within a site.",
      lists: [["devices", "location_id"]],
    }),
    columns: ["slug", "site", "description"],
    filters: ["site_id"],
  },
  small(regions, {
    empty: "No regions yet. They group sites by where they are.",
    lists: [["sites", "region_id"]],
  }),
  small(siteGroups, {
    empty: "No site groups yet. They group sites by purpose.",
    lists: [["sites", "group_id"]],
  }),
  small(manufacturers, {
    empty: "No manufacturers yet. They are the makers of device types.",
    lists: [["device-types", "manufacturer_id"]],
  }),
  {
    ...small(deviceTypes, {
      empty: "No device types yet. A device type is a model of a manufacturer.",
      lists: [["devices", "device_type_id"]],
    }),
    columns: ["manufacturer", "slug", "part_number"],
    filters: ["manufacturer_id"],
  },
  small(deviceRoles, {
    empty: "No roles yet. A role says what a device or virtual machine is used for.",
    lists: [["devices", "role_id"], ["virtual-machines", "role_id"]],
  }),
  small(platforms, {
    empty: "No platforms yet. A platform is the operating system of a host.",
    lists: [["devices", "platform_id"], ["virtual-machines", "platform_id"]],
  }),
  {
    ...small(clusters, {
      empty: "No clusters yet. Virtual machines run on clusters.",
      lists: [["virtual-machines", "cluster_id"], ["devices", "cluster_id"]],
    }),
    columns: ["type", "status", "tenant", "description"],
    filters: ["type_id", "status", "tenant_id"],
  },
  small(clusterTypes, {
    empty: "No cluster types yet. A cluster type is the technology of a cluster, such as KVM.",
    lists: [["clusters", "type_id"]],
  }),
];

/**
 * Returns the view of a resource with a name and a slug. `lists` are lists of objects that refer to it, with the
 * filter.
 */
export function small(
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
    empty,
    detail: (_, { id }) => ({
      related: [...lists, ...inside].map(([name, filter]) =>
        [capitalized(name.replaceAll("-", " ")), `/${name}/?${filter}=${id}`] as const
      ),
    }),
  };
}
