/** Where hosts are: regions, groups of sites, sites, and the locations in them. */

import {
  locations as locationTable,
  regions as regionTable,
  site_groups as siteGroupTable,
  sites as siteTable,
} from "../../db/schema/mod.ts";
import { z } from "zod";
import { derived, text } from "../../resource/mod.ts";
import { detailField, namedResource, nestedResource, statusField } from "./named.ts";
import { tenantField } from "./tenants.ts";

/** `dcim.region`. */
export const regions = nestedResource({
  objectType: "dcim.region",
  path: "dcim/regions",
  label: "region",
  table: regionTable,
});

/** `dcim.sitegroup`. */
export const siteGroups = nestedResource({
  objectType: "dcim.sitegroup",
  path: "dcim/site-groups",
  label: "site group",
  table: siteGroupTable,
});

/** `dcim.site`. */
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
      alias: true,
    },
    text("facility", { description: "The provider's name of the building or room.", max: 50 }),
  ],
});

/** `dcim.location`. */
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
