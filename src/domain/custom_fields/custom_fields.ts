/** Definitions of custom fields, and sets of choices. */

import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { encoded, issue } from "../../base/findings.ts";
import { custom_field_choice_sets, custom_fields as table } from "../../db/schema/mod.ts";
import { patternFault } from "../../filters/mod.ts";
import {
  boolean,
  choice,
  choiceError,
  CUSTOM_TYPES,
  defineResource,
  documented,
  elementFilter,
  expectedError,
  type Field,
  forgetCustomFields,
  integer,
  json,
  labelledChoice,
  quote,
  reference,
  type Resource,
  text,
  unexpected,
} from "../../resource/mod.ts";
import { commentsField } from "../inventory/mod.ts";
import { prepareCustomFields, removeCustomFields } from "./prepare.ts";
import { CUSTOMIZED_TYPES } from "./targets.ts";

const MAX_CHOICES = 500;
const MAX_CHARS = 100;

export const customFieldChoiceSets = defineResource({
  objectType: "extras.customfieldchoiceset",
  path: "extras/custom-field-choice-sets",
  label: "custom field choice set",
  table: custom_field_choice_sets,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    text("description", { description: "What the choices mean." }),
    choicesField(),
    boolean("order_alphabetically", {
      description: "Whether the choices are ordered by their labels.",
      fallback: false,
    }),
  ],
  written: { unsupported: { base_choices: "NetBox's predefined choices" } },
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  unique: ["name"],
  hooks: { afterCommit: ({ database }) => forgetCustomFields(database) },
});

/** Defines the choices, `[["value", "Label"]]`. A single text is used as both. */
function choicesField(): Field<"extra_choices", [string, string][]> {
  const part = z.string().trim().min(1).max(MAX_CHARS);
  const choice = z.union([
    z.tuple([part, part]),
    part.transform((value): [string, string] => [value, value]),
  ], { error: ({ input }) => encoded(unexpected("a pair of value and label", input)) });
  const schema = boundedList(choice, {
    max: MAX_CHOICES,
    error: ({ input }) => encoded(unexpected("a list of pairs of value and label", input)),
    empty: issue("expected_some", { thing: "choice" }),
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

/** Maximum of a limit: above it, doubles do not distinguish whole numbers. */
const MAX_DECIMAL = 10 ** 15;

export const customFields = defineResource({
  objectType: "extras.customfield",
  path: "extras/custom-fields",
  label: "custom field",
  table,
  fields: [
    text("name", {
      description: "Name in the API, filters and exports (`cf_<name>`); unique, and fixed after creation.",
      required: true,
      max: 50,
      pattern: {
        regex: /^[a-z](?:_?[a-z0-9])*$/,
        expected: "lower-case letters, digits and single underscores, with a letter at the beginning",
      },
    }),
    text("label", { description: "Name on pages; default: the name." }),
    text("group_name", { description: "Group on pages." }),
    objectTypesField(),
    labelledChoice("type", {
      description: "Type of its values; fixed after creation.",
      choices: CUSTOM_TYPES,
      required: true,
    }),
    choice("related_object_type", {
      description: "Type of the objects that a field of the type `object` refers to.",
      choices: CUSTOMIZED_TYPES,
      nullable: true,
    }),
    text("description", { description: "What it means; shown in forms." }),
    boolean("required", { description: "Whether every new object needs a value.", fallback: false }),
    boolean("unique", {
      description: "Whether each value is unique among the objects of a type. Such a field has an index.",
      fallback: false,
      column: "unique_values",
    }),
    json("default", {
      description: "Default value of new objects, in the form that it has in `custom_fields`; null: none.",
      schema: documented(z.unknown(), {}),
      fallback: null,
      column: "initial",
    }),
    integer("weight", {
      description: "Position among the fields: lower ones first.",
      min: 0,
      max: 32_767,
      fallback: 100,
    }),
    labelledChoice("filter_logic", {
      description:
        "Whether a text filter matches part of a value (`loose`) or the whole value (`exact`), or there is no filter (`disabled`).",
      choices: { disabled: "Disabled", loose: "Loose", exact: "Exact" },
      fallback: "loose",
    }),
    boolean("indexed", {
      description:
        "Whether an index serves its filters and orderings. Creating one takes a second per million objects.",
      fallback: false,
    }),
    labelledChoice("ui_visible", {
      description: "Whether pages show it: `always`, `if-set` (where it has a value), or `hidden`.",
      choices: { always: "Always", "if-set": "If set", hidden: "Hidden" },
      fallback: "always",
    }),
    labelledChoice("ui_editable", {
      description: "Whether forms on pages include it: only with `yes`. The API can change it regardless.",
      choices: { yes: "Yes", no: "No", hidden: "Hidden" },
      fallback: "yes",
    }),
    decimal("validation_minimum", "Smallest valid number."),
    decimal("validation_maximum", "Largest valid number."),
    regexField(),
    reference("choice_set", {
      description: "The choices of a field of the type `select` or `multiselect`, by id or name.",
      target: (): Resource => customFieldChoiceSets,
      keys: ["name"],
      onDelete: "restrict",
    }),
    commentsField(),
  ],
  brief: ["name", "type", "description"],
  // The filter's name in NetBox.
  filters: { object_type: elementFilter(table, "object_types") },
  written: { unsupported: { related_object_filter: "Filters of the objects that a field may refer to" } },
  search: { fields: ["name", "label", "group_name", "description"] },
  order: [{ field: "weight", descending: false }, { field: "name", descending: false }],
  unique: ["name"],
  hooks: {
    prepare: prepareCustomFields,
    beforeDelete: removeCustomFields,
    afterCommit: ({ database }) => forgetCustomFields(database),
  },
});

function objectTypesField(): Field<"object_types", string[]> {
  const one = z.enum(CUSTOMIZED_TYPES, choiceError(CUSTOMIZED_TYPES));
  const schema = boundedList(one, {
    max: CUSTOMIZED_TYPES.length,
    ...expectedError("a list of object types"),
    empty: issue("expected_some", { thing: "object type" }),
  }).transform((types) => [...new Set(types)]);
  return {
    ...json("object_types", { description: "Types of the objects that have it.", required: true, schema }),
    output: z.array(z.string()),
    filters: { object_types: elementFilter(table, "object_types") },
  };
}

function decimal<const Name extends string>(name: Name, description: string): Field<Name, number | null> {
  const expected = `a number from -${MAX_DECIMAL} to ${MAX_DECIMAL} or null`;
  const wrong = { error: ({ input }: { input?: unknown }) => encoded(unexpected(expected, input)) };
  const number = z.number().min(-MAX_DECIMAL, wrong).max(MAX_DECIMAL, wrong);
  const digits = z.string().regex(/^-?\d{1,15}(?:\.\d{1,15})?$/).transform(Number);
  const schema = z.union([number, digits], wrong);
  const field = integer(name, { description, nullable: true, filter: false });
  return { ...field, input: schema.nullable(), output: z.number().nullable() };
}

function regexField(): Field<"validation_regex", string> {
  const field = text("validation_regex", {
    description: "Regular expression (RE2) that must match somewhere in a text; `^` and `$` anchor it.",
    max: 500,
    trim: false,
  });
  const input = (field.input as z.ZodType<string>).superRefine((given, context) => {
    const fault = given === "" ? undefined : patternFault(given, { ignoreCase: false });
    if (fault === undefined) return;
    context.addIssue({ code: "custom", message: issue("invalid_pattern", { reason: quote(fault) }) });
  });
  return { ...field, input };
}
