/** Hardware and roles of hosts: manufacturers, device types, device roles and platforms. */

import {
  device_roles as roleTable,
  device_types as typeTable,
  manufacturers as manufacturerTable,
  platforms as platformTable,
} from "../../db/schema/mod.ts";
import { boolean, customFieldsField, defineResource, id, text, timestamps } from "../../resource/mod.ts";
import { colorField, commentsField, slugField } from "./common_fields.ts";
import { detailField, namedResource } from "./named.ts";
import { tagsField } from "./tags.ts";

const DEVICE_TYPE = "dcim.devicetype";

/** `dcim.manufacturer`. */
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
    id(),
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
    ...timestamps(),
  ],
  brief: ["manufacturer", "model", "slug", "description"],
  displayNeeds: ["model"],
  display: (row) => String(row.model),
  searchFields: ["model", "slug", "part_number", "description"],
  order: [{ field: "model", descending: false }],
  unique: ["model", "slug"].map((column) => ({
    columns: ["manufacturer_id", column],
    field: "__all__",
    message: `device type with this manufacturer and ${column} already exists.`,
  })),
});

/** `dcim.devicerole`. */
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

/** `dcim.platform`. */
export const platforms = namedResource({
  objectType: "dcim.platform",
  path: "dcim/platforms",
  label: "platform",
  table: platformTable,
});
