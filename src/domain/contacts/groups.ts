/** Contact groups: a tree that contacts are sorted into. */

import { contact_groups as table } from "../../db/schema/mod.ts";
import {
  customFieldsField,
  defineResource,
  id,
  reference,
  refuseCycles,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { commentsField, slugField, tagsField } from "../inventory/mod.ts";

const OBJECT_TYPE = "tenancy.contactgroup";

/** `tenancy.contactgroup`. */
export const contactGroups: Resource = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contact-groups",
  label: "contact group",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique among the groups of one parent.", required: true, max: 100 }),
    slugField(),
    reference("parent", {
      description:
        "The group that contains it, by id, name or slug. Deleting a group deletes those inside it.",
      target: () => contactGroups,
      keys: ["slug", "name"],
      onDelete: "cascade",
    }),
    text("description", { description: "What it is for." }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "slug", "description"],
  searchFields: ["name", "slug", "description"],
  order: [{ field: "name", descending: false }],
  unique: [
    {
      columns: ["name", "parent_id"],
      nullsEqual: true,
      field: "__all__",
      message: "Contact group with this Name and Parent already exists.",
    },
    { columns: ["slug"], field: "slug", message: "contact group with this slug already exists." },
  ],
  prepare: ({ tx, drafts }) =>
    refuseCycles(tx, drafts, {
      table,
      field: "parent",
      column: "parent_id",
      itself: "A group cannot be its own parent.",
      cycle: "A group cannot be inside itself, directly or through others.",
    }),
});
