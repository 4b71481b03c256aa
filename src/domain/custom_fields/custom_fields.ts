/** Definitions of custom fields. */

import { z } from "zod";
import { custom_fields as table } from "../../db/schema/mod.ts";
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
  id,
  integer,
  json,
  labelledChoice,
  quote,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { boundedList } from "../../base/bounded_list.ts";
import { commentsField } from "../inventory/mod.ts";
import { customFieldChoiceSets } from "./choice_sets.ts";
import { prepareCustomFields, removeCustomFields } from "./prepare.ts";
import { CUSTOMIZED_TYPES, RELATED_TYPES } from "./targets.ts";

/** Maximum of a limit: above it, doubles do not distinguish whole numbers. */
const MAX_DECIMAL = 10 ** 15;

/** `extras.customfield`. */
export const customFields = defineResource({
  objectType: "extras.customfield",
  path: "extras/custom-fields",
  label: "custom field",
  table,
  fields: [
    id(),
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
      choices: RELATED_TYPES,
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
    ...timestamps(),
  ],
  brief: ["name", "type", "description"],
  // The filter's name in NetBox.
  filters: { object_type: elementFilter(table, "object_types") },
  unsupported: { related_object_filter: "Filters of the objects that a field may refer to" },
  searchFields: ["name", "label", "group_name", "description"],
  order: [{ field: "weight", descending: false }, { field: "name", descending: false }],
  unique: [{ columns: ["name"], field: "name", message: "custom field with this name already exists." }],
  prepare: prepareCustomFields,
  beforeDelete: removeCustomFields,
  afterCommit: ({ database }) => forgetCustomFields(database),
});

function objectTypesField(): Field<"object_types", string[]> {
  const one = z.enum(CUSTOMIZED_TYPES, choiceError(CUSTOMIZED_TYPES));
  const schema = boundedList(one, {
    max: CUSTOMIZED_TYPES.length,
    ...expectedError("Expected a list of object types"),
    empty: "Expected at least one object type.",
  }).transform((types) => [...new Set(types)]);
  return {
    ...json("object_types", { description: "Types of the objects that have it.", required: true, schema }),
    output: z.array(z.string()),
    filters: { object_types: elementFilter(table, "object_types") },
  };
}

function decimal<const Name extends string>(name: Name, description: string): Field<Name, number | null> {
  const expected = `Expected a number from -${MAX_DECIMAL} to ${MAX_DECIMAL} or null`;
  const wrong = { error: ({ input }: { input?: unknown }) => `${expected}, not ${quote(input)}.` };
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
    context.addIssue({ code: "custom", message: `Expected a valid regular expression: ${quote(fault)}.` });
  });
  return { ...field, input };
}
