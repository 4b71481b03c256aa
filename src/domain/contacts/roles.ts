/** Contact roles: in what capacity a contact is responsible. */

import { contact_roles as table } from "../../db/schema/mod.ts";
import { customFieldsField, defineResource, id, text, timestamps } from "../../resource/mod.ts";
import { commentsField, slugField, tagsField } from "../inventory/mod.ts";

const OBJECT_TYPE = "tenancy.contactrole";

/** `tenancy.contactrole`. The role with the slug `owner` goes before all others when an owner is determined. */
export const contactRoles = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contact-roles",
  label: "contact role",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    slugField(),
    text("description", { description: "What such a contact is responsible for." }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "slug", "description"],
  searchFields: ["name", "slug", "description"],
  order: [{ field: "name", descending: false }],
  unique: [
    { columns: ["name"], field: "name", message: "contact role with this name already exists." },
    { columns: ["slug"], field: "slug", message: "contact role with this slug already exists." },
  ],
});
