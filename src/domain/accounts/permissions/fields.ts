/** Fields of a permission that are stored as JSON. `prepare` validates their content, which depends on other fields. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { MAX_CHOICES, MAX_CONSTRAINT_CHARS } from "../../../base/limits.ts";
import { isDictionary } from "../../../filters/mod.ts";
import { documented, type Field, json, REQUIRED } from "../../../resource/mod.ts";

const names = boundedList(z.string({ error: "Expected text." }).trim(), {
  max: MAX_CHOICES,
  error: (issue) => issue.input === undefined ? REQUIRED : "Expected a list of names.",
  empty: "Expected at least one name.",
});

/** Defines a field with a list of object types or actions. */
export function namesField<const Name extends string>(
  name: Name,
  description: string,
): Field<Name, string[]> {
  return json(name, { description, required: true, schema: names });
}

type Dictionary = Record<string, unknown>;

// Not z.record, which silently drops the key "__proto__", and without a filter the permission would apply to
// more rows.
const checked = z.custom<Dictionary | Dictionary[]>(
  (given) => isDictionary(given) || (Array.isArray(given) && given.every(isDictionary)),
  { error: "Expected an object of filters, a list of such objects, or null." },
).refine(
  (given) => JSON.stringify(given).length <= MAX_CONSTRAINT_CHARS,
  {
    error: `Ensure this field has no more than ${MAX_CONSTRAINT_CHARS} characters.`,
  },
);

/** The form of constraints. Their content is validated for each object type. */
export const CONSTRAINTS = documented(checked, {
  anyOf: [{ type: "object" }, { type: "array", items: { type: "object" } }],
}).nullable();

/**
 * Defines the field `constraints`: an object means AND, a list of objects OR. null, `{}` and `[]` select all
 * rows.
 */
export function constraintsField(): Field<"constraints", z.infer<typeof CONSTRAINTS>> {
  return json("constraints", {
    description:
      'The objects it applies to, as filters by field path: `{"tenant__name": "acme"}` (AND), a list of such objects (OR), or null (all). `"$user"` is the id of the caller.',
    schema: CONSTRAINTS,
    fallback: null,
  });
}
