/** Tags, and fields that many resources share. */

import type { z } from "zod";
import { encoded } from "../../base/findings.ts";
import { webUrlFault } from "../../base/web_url.ts";
import { tags as table } from "../../db/schema/mod.ts";
import { type Brief, defineResource, documented, type Field, many, text } from "../../resource/mod.ts";

export const MAX_TAGS = 100;

export const tags = defineResource({
  objectType: "extras.tag",
  path: "extras/tags",
  label: "tag",
  table,
  fields: [
    text("name", { description: "Display name; unique.", required: true, max: 100 }),
    slugField(),
    colorField(),
    text("description", { description: "Meaning of the tag." }),
  ],
  brief: ["name", "slug", "color"],
  search: { fields: ["name", "slug", "description"] },
  unique: ["name", "slug"],
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

const MAX_ADDRESS_CHARS = 500;
const MAX_COMMENT_CHARS = 10_000;

/** Defines the field `slug`: an object's name in URLs and filters. */
export function slugField(): Field<"slug", string> {
  return {
    ...text("slug", {
      description: "Name in URLs and filters; unique.",
      required: true,
      max: 100,
      pattern: { regex: /^[-\w]+$/, expected: "letters, digits, hyphens and underscores" },
    }),
    shown: { notation: "slug" },
  };
}

export function colorField(): Field<"color", string> {
  return {
    ...text("color", {
      description: "Six hexadecimal digits.",
      pattern: { regex: /^[0-9a-f]{6}$/, expected: "six lower-case hexadecimal digits" },
    }),
    fallback: "9e9e9e",
    shown: { notation: "color" },
  };
}

/** Defines a text in Markdown, which the pages render. */
export function markdownField<const Name extends string>(
  name: Name,
  description: string,
): Field<Name, string> {
  return {
    ...text(name, { description, max: MAX_COMMENT_CHARS, trim: false }),
    shown: { markdown: true },
  };
}

export function commentsField(): Field<"comments", string> {
  return markdownField("comments", "Comments in Markdown.");
}

export function emailField<const Name extends string>(name: Name, description: string): Field<Name, string> {
  return text(name, {
    description,
    max: 254,
    pattern: { regex: /^[^\s@\0<>,;]+@[^\s@\0<>,;]+$/, expected: "an e-mail address" },
  });
}

export function webAddress<const Name extends string>(name: Name, description: string): Field<Name, string> {
  const field = text(name, { description, max: MAX_ADDRESS_CHARS });
  const input = (field.input as z.ZodType<string>).superRefine((given, context) => {
    const fault = given === "" ? undefined : webUrlFault(given);
    if (fault !== undefined) context.addIssue({ code: "custom", message: encoded(fault) });
  });
  const address = { type: "string", format: "uri", pattern: "^https?://", maxLength: MAX_ADDRESS_CHARS };
  return { ...field, input: documented(input, { anyOf: [{ const: "" }, address] }) };
}
