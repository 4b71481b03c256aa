/** Devices and virtual machines, to which certificates are assigned. */

import { finding } from "../../base/findings.ts";
import { devices as deviceTable, virtual_machines } from "../../db/schema/mod.ts";
import {
  aliasOf,
  type Brief,
  customFieldsField,
  defineResource,
  type Draft,
  type Field,
  type Resource,
  text,
} from "../../resource/mod.ts";
import { commentsField, tagsField } from "./common_fields.ts";
import { clusters, deviceRoles, deviceTypes, locations, platforms, sites } from "./hardware.ts";
import { detailField, statusField } from "./named.ts";
import { tenantField } from "./tenants.ts";

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

const DEVICE_DETAILS = [
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

const MACHINE_DETAILS = [
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
function useOldRoleName(drafts: readonly Draft[]): void {
  for (const { input, before } of drafts) {
    const { device_role: old } = input;
    delete input.device_role;
    if (old === undefined) continue;
    // The input of a new object has the default of `role`.
    if (input.role === undefined || (before === undefined && input.role === null)) input.role = old;
  }
}

/** Returns the rule that a name is unique within its tenant. */
function uniqueName(object: string): Resource["unique"][number] {
  return {
    columns: ["name", "tenant_id"],
    nullsEqual: true,
    field: "__all__",
    finding: finding("not_unique", { object, fields: "Name and Tenant" }),
  };
}

const DEVICE = "dcim.device";

export const devices = defineResource({
  objectType: DEVICE,
  path: "dcim/devices",
  label: "device",
  table: deviceTable,
  fields: [
    text("name", { description: "Name; unique within its tenant.", required: true, max: 200 }),
    ...DEVICE_DETAILS,
    text("serial", { description: "The manufacturer's serial number.", max: 50 }),
    text("description", { description: "What it is for.", max: 1_000 }),
    tenantField(),
    commentsField(),
    tagsField(DEVICE),
    customFieldsField(DEVICE),
  ],
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  unique: [uniqueName("Device")],
  hooks: { prepare: ({ drafts }) => Promise.resolve(useOldRoleName(drafts)) },
});

const MACHINE = "virtualization.virtualmachine";

export const virtualMachines = defineResource({
  objectType: MACHINE,
  path: "virtualization/virtual-machines",
  label: "virtual machine",
  table: virtual_machines,
  fields: [
    text("name", { description: "Name; unique within its tenant.", required: true, max: 200 }),
    ...MACHINE_DETAILS,
    text("description", { description: "What it is for.", max: 1_000 }),
    tenantField(),
    commentsField(),
    tagsField(MACHINE),
    customFieldsField(MACHINE),
  ],
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  unique: [uniqueName("Virtual machine")],
});
