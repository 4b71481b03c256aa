/** Contacts: people and teams. */

import { contacts as table } from "../../db/schema/mod.ts";
import { customFieldsField, defineResource, id, reference, text, timestamps } from "../../resource/mod.ts";
import { commentsField, emailField, tagsField, webAddress } from "../inventory/mod.ts";
import { contactGroups } from "./groups.ts";

const OBJECT_TYPE = "tenancy.contact";

/** `tenancy.contact`. */
export const contacts = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contacts",
  label: "contact",
  table,
  fields: [
    id(),
    reference("group", {
      description: "The group it is sorted into, by id, name or slug.",
      target: () => contactGroups,
      keys: ["slug", "name"],
      onDelete: "clear",
    }),
    text("name", { description: "Name of the person or team.", required: true, max: 100 }),
    text("title", { description: "Position or job title.", max: 100 }),
    text("phone", { description: "Telephone number.", max: 50 }),
    emailField("email", "E-mail address."),
    text("address", { description: "Postal address." }),
    webAddress("link", "Web page, such as that of an on-call schedule."),
    text("description", { description: "What it is responsible for." }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "email", "description"],
  searchFields: ["name", "title", "phone", "email", "description"],
  order: [{ field: "name", descending: false }],
});
