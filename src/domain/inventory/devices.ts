/** Devices, to which certificates are assigned. */

import { devices as table } from "../../db/schema/mod.ts";
import { customFieldsField, defineResource, id, text, timestamps } from "../../resource/mod.ts";
import { DEVICE_DETAILS, useOldRoleName } from "./host_fields.ts";
import { commentsField } from "./common_fields.ts";
import { tagsField } from "./tags.ts";
import { tenantField } from "./tenants.ts";

const OBJECT_TYPE = "dcim.device";

/** `dcim.device`. */
export const devices = defineResource({
  objectType: OBJECT_TYPE,
  path: "dcim/devices",
  label: "device",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique within its tenant.", required: true, max: 200 }),
    ...DEVICE_DETAILS,
    text("serial", { description: "The manufacturer's serial number.", max: 50 }),
    text("description", { description: "What it is for.", max: 1_000 }),
    tenantField(),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  order: [{ field: "name", descending: false }],
  unique: [{
    columns: ["name", "tenant_id"],
    nullsEqual: true,
    field: "__all__",
    message: "Device with this Name and Tenant already exists.",
  }],
  prepare: ({ drafts }) => Promise.resolve(useOldRoleName(drafts)),
});
