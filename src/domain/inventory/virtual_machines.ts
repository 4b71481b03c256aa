/** Virtual machines, to which certificates are assigned. */

import { virtual_machines as table } from "../../db/schema/mod.ts";
import { customFieldsField, defineResource, id, text, timestamps } from "../../resource/mod.ts";
import { MACHINE_DETAILS } from "./host_fields.ts";
import { commentsField } from "./common_fields.ts";
import { tagsField } from "./tags.ts";
import { tenantField } from "./tenants.ts";

const OBJECT_TYPE = "virtualization.virtualmachine";

/** `virtualization.virtualmachine`. */
export const virtualMachines = defineResource({
  objectType: OBJECT_TYPE,
  path: "virtualization/virtual-machines",
  label: "virtual machine",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique within its tenant.", required: true, max: 200 }),
    ...MACHINE_DETAILS,
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
    message: "Virtual machine with this Name and Tenant already exists.",
  }],
});
