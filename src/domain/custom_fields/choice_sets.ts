/** Sets of choices of custom fields. */

import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { custom_field_choice_sets as table } from "../../db/schema/mod.ts";
import {
  boolean,
  defineResource,
  type Field,
  forgetCustomFields,
  id,
  json,
  quote,
  text,
  timestamps,
} from "../../resource/mod.ts";

/** Maximum number of choices in a set. */
const MAX_CHOICES = 500;
const MAX_CHARS = 100;

/** `extras.customfieldchoiceset`. */
export const customFieldChoiceSets = defineResource({
  objectType: "extras.customfieldchoiceset",
  path: "extras/custom-field-choice-sets",
  label: "custom field choice set",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    text("description", { description: "What the choices mean." }),
    choicesField(),
    boolean("order_alphabetically", {
      description: "Whether the choices are ordered by their labels.",
      fallback: false,
    }),
    ...timestamps(),
  ],
  unsupported: { base_choices: "NetBox's predefined choices" },
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  order: [{ field: "name", descending: false }],
  unique: [{
    columns: ["name"],
    field: "name",
    message: "custom field choice set with this name already exists.",
  }],
  afterCommit: ({ database }) => forgetCustomFields(database),
});

/** Defines the choices, `[["value", "Label"]]`. A single text is used as both. */
function choicesField(): Field<"extra_choices", [string, string][]> {
  const part = z.string().trim().min(1).max(MAX_CHARS);
  const choice = z.union([
    z.tuple([part, part]),
    part.transform((value): [string, string] => [value, value]),
  ], { error: ({ input }) => `Expected a pair of value and label, not ${quote(input)}.` });
  const schema = boundedList(choice, {
    max: MAX_CHOICES,
    error: ({ input }) => `Expected a list of pairs of value and label, not ${quote(input)}.`,
    empty: "Expected at least one choice.",
  }).refine(
    (choices) => new Set(choices.map(([value]) => value)).size === choices.length,
    { error: "Two choices have the same value." },
  );
  return {
    ...json("extra_choices", {
      description: 'The choices in order: `[["prod", "Production"], …]`.',
      required: true,
      schema,
    }),
    output: z.array(z.tuple([z.string(), z.string()])),
  };
}
