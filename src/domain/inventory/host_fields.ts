/** Fields of both devices and virtual machines: what they are for, and where they are. */

import { aliasOf, type Brief, type Draft, type Field } from "../../resource/mod.ts";
import { clusters } from "./clusters.ts";
import { deviceRoles, deviceTypes, platforms } from "./hardware.ts";
import { detailField, statusField } from "./named.ts";
import { locations, sites } from "./sites.ts";

const STATUSES = ["offline", "active", "planned", "staged", "failed", "inventory", "decommissioning"];
const VIRTUAL_STATUSES = ["offline", "active", "planned", "staged", "failed", "decommissioning", "paused"];

const role = detailField("role", {
  description: "What it is used for, by id, slug or name.",
  target: () => deviceRoles,
  onDelete: "restrict",
});
const platform = detailField("platform", {
  description: "Its operating system, by id, slug or name.",
  target: () => platforms,
  onDelete: "clear",
});
const site = detailField("site", {
  description: "The site it is at, by id, slug or name.",
  target: () => sites,
  onDelete: "restrict",
});

export const DEVICE_DETAILS = [
  statusField(STATUSES),
  role,
  // The field's name before NetBox 4, which older clients still read and write.
  aliasOf("device_role", {
    description: "Old name of `role`; ignored in a body that has `role`.",
    target: deviceRoles,
    keys: ["slug", "name"],
    needs: ["role"],
    of: role,
  }),
  detailField("device_type", {
    description: "The manufacturer's model, by id, slug or model.",
    target: () => deviceTypes,
    onDelete: "restrict",
    keys: ["slug", "model"],
  }),
  platform,
  site,
  detailField("location", {
    description: "The location within the site, by id, slug or name.",
    target: () => locations,
    onDelete: "restrict",
  }),
  clusterField("clear"),
];

/** The fields of a virtual machine. */
export const MACHINE_DETAILS = [
  statusField(VIRTUAL_STATUSES),
  role,
  platform,
  site,
  clusterField("restrict"),
];

function clusterField(onDelete: "clear" | "restrict"): Field<"cluster", Brief | null> {
  return detailField("cluster", {
    description: "The cluster it belongs to, by id or name.",
    target: () => clusters,
    onDelete,
    keys: ["name"],
  });
}

/** Sets the role from its old name if a body has only that. */
export function useOldRoleName(drafts: readonly Draft[]): void {
  for (const { input, before } of drafts) {
    const { device_role: old } = input;
    delete input.device_role;
    if (old === undefined) continue;
    // The input of a new object has the default of `role`.
    if (input.role === undefined || (before === undefined && input.role === null)) input.role = old;
  }
}
