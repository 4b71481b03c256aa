/** Tags, which can be attached to any object. */

import { tags as table } from "../../db/schema/mod.ts";
import { type Brief, defineResource, type Field, id, many, text, timestamps } from "../../resource/mod.ts";
import { colorField, slugField } from "./common_fields.ts";

/** Maximum number of tags of an object. */
export const MAX_TAGS = 100;

/** `extras.tag`. */
export const tags = defineResource({
  objectType: "extras.tag",
  path: "extras/tags",
  label: "tag",
  table,
  fields: [
    id(),
    text("name", { description: "Display name; unique.", required: true, max: 100 }),
    slugField(),
    colorField(),
    text("description", { description: "Meaning of the tag." }),
    ...timestamps(),
  ],
  brief: ["name", "slug", "color"],
  searchFields: ["name", "slug", "description"],
  order: [{ field: "name", descending: false }],
  unique: [
    { columns: ["name"], field: "name", message: "tag with this name already exists." },
    { columns: ["slug"], field: "slug", message: "tag with this slug already exists." },
  ],
});

/** Defines the field `tags` of a resource, with the filter `tag=<slug>`. */
export function tagsField(objectType: string): Field<"tags", Brief[]> {
  return many("tags", {
    description: "Tags, by id, name or slug.",
    target: () => tags,
    keys: ["slug", "name"],
    link: { table: "tagged_items", own: "object_id", other: "tag_id", type: objectType },
    filterName: "tag",
    max: MAX_TAGS,
  });
}
