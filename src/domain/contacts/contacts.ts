/** Contacts: people and teams. */

import { contacts as table } from "../../db/schema/mod.ts";
import {
  aliasOf,
  type Brief,
  customFieldsField,
  defineResource,
  type Draft,
  type Field,
  id,
  keepHiddenLinks,
  many,
  refuse,
  text,
  timestamps,
  type Values,
} from "../../resource/mod.ts";
import { commentsField, emailField, tagsField, webAddress } from "../inventory/mod.ts";
import { contactGroups } from "./groups.ts";
import type { ObjectRow } from "../../db/mod.ts";

const OBJECT_TYPE = "tenancy.contact";

const KEYS = ["slug", "name"];
/** Maximum number of groups of a contact. */
const MAX_GROUPS = 100;

const groupsField = many("groups", {
  description: "The groups it belongs to, by id, slug or name.",
  target: () => contactGroups,
  keys: KEYS,
  link: { table: "contact_group_members", own: "contact_id", other: "contact_group_id" },
  filterName: "group",
  max: MAX_GROUPS,
});

/** `tenancy.contact`. */
export const contacts = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contacts",
  label: "contact",
  table,
  fields: [
    id(),
    text("name", { description: "Name of the person or team.", required: true, max: 100 }),
    groupsField,
    firstGroup(),
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
  prepare: async ({ ctx, tx, drafts }) => {
    const taken = drafts.filter(takeGroup);
    await keepHiddenLinks({ ctx, reader: tx, drafts: taken }, { field: "groups", target: contactGroups });
  },
});

/**
 * Returns the field `group`, which clients from before NetBox 4.3 still read and write, when a contact had
 * only one group.
 */
function firstGroup(): Field<"group", Brief | null> {
  return aliasOf("group", {
    description: "The first of its groups, as before NetBox 4.3; may be sent instead of `groups`.",
    target: contactGroups,
    keys: KEYS,
    needs: ["groups"],
    of: groupsField,
    read: (read) => (row, ctx) => [read(row, ctx)].flat()[0] ?? null,
  });
}

/** Sets the groups from `group` if a body has only that field. Returns whether it does. */
function takeGroup(draft: Draft<ObjectRow, Values & { group?: number | null; groups?: number[] }>): boolean {
  const { input, before } = draft;
  const { group, groups } = input;
  delete input.group;
  if (group === undefined || draft.errors.group !== undefined) return false;
  // The input of a new object has the default of `groups`.
  if (groups === undefined || (before === undefined && groups.length === 0)) {
    input.groups = group === null ? [] : [group];
    return true;
  }
  // An object that is sent back unchanged has both fields, which then agree.
  if (group !== null && !groups.includes(group)) {
    refuse(draft, "group", "Expected one of the given groups. Send either group or groups.");
  }
  return false;
}
