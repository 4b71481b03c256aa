/** Fields that many resources share. */

import type { z } from "zod";
import { webUrlFault } from "../../base/web_url.ts";
import { documented, type Field, text } from "../../resource/mod.ts";

/** Maximum length of a web address. */
const MAX_ADDRESS_CHARS = 500;
/** Maximum length of comments. */
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
    notation: "slug",
  };
}

/** Defines the color of a label. */
export function colorField(): Field<"color", string> {
  return {
    ...text("color", {
      description: "Six hexadecimal digits.",
      pattern: { regex: /^[0-9a-f]{6}$/, expected: "six lower-case hexadecimal digits" },
    }),
    fallback: "9e9e9e",
    notation: "color",
  };
}

/** Defines a text in Markdown, which the pages render. */
export function markdownField<const Name extends string>(
  name: Name,
  description: string,
): Field<Name, string> {
  return {
    ...text(name, { description, max: MAX_COMMENT_CHARS, trim: false }),
    markdown: true,
  };
}

/** Defines the comments on an object. */
export function commentsField(): Field<"comments", string> {
  return markdownField("comments", "Comments in Markdown.");
}

/** Defines an e-mail address. */
export function emailField<const Name extends string>(name: Name, description: string): Field<Name, string> {
  return text(name, {
    description,
    max: 254,
    pattern: { regex: /^[^\s@\0]+@[^\s@\0]+$/, expected: "an e-mail address" },
  });
}

/** Defines an http or https URL. */
export function webAddress<const Name extends string>(name: Name, description: string): Field<Name, string> {
  const field = text(name, { description, max: MAX_ADDRESS_CHARS });
  const input = (field.input as z.ZodType<string>).superRefine((given, context) => {
    const fault = given === "" ? undefined : webUrlFault(given);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  });
  const address = { type: "string", format: "uri", pattern: "^https?://", maxLength: MAX_ADDRESS_CHARS };
  return { ...field, input: documented(input, { anyOf: [{ const: "" }, address] }) };
}
