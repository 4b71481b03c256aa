/** Contact groups: a tree that contains contacts. */

import { contact_groups as table } from "../../db/schema/mod.ts";
import { nestedResource } from "../inventory/mod.ts";

/** `tenancy.contactgroup`; names are unique among the groups of one parent. */
export const contactGroups = nestedResource({
  objectType: "tenancy.contactgroup",
  path: "tenancy/contact-groups",
  label: "contact group",
  table,
  about: "What it is for.",
  unique: [
    {
      columns: ["name", "parent_id"],
      nullsEqual: true,
      field: "__all__",
      message: "Contact group with this Name and Parent already exists.",
    },
    { columns: ["slug"], field: "slug", message: "contact group with this slug already exists." },
  ],
});
