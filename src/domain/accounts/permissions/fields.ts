/** The fields of a permission that are kept as JSON. What they say is judged when the whole permission is known. */

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

/** A list of object types or of actions. */
export function namesField(name: string, description: string): Field {
  return json<string[]>(name, { description, required: true, schema: names });
}

type Dictionary = Record<string, unknown>;

// Not z.record, which drops the key "__proto__" without a word: a filter less is a row more.
const checked = z.custom<Dictionary | Dictionary[]>(
  (given) => isDictionary(given) || (Array.isArray(given) && given.every(isDictionary)),
  { error: "Expected an object of filters, a list of such objects, or null." },
).refine(
  (given) => JSON.stringify(given).length <= MAX_CONSTRAINT_CHARS,
  {
    error: `Ensure this field has no more than ${MAX_CONSTRAINT_CHARS} characters.`,
  },
);

/** What constraints look like; whether they mean anything is judged by type. */
export const CONSTRAINTS = documented(checked, {
  anyOf: [{ type: "object" }, { type: "array", items: { type: "object" } }],
}).nullable();

/** Which rows: a dictionary is AND, a list of them OR; null, `{}` and `[]` are all rows. */
export function constraintsField(): Field {
  return json<z.infer<typeof CONSTRAINTS>>("constraints", {
    description:
      'The rows it holds for, as filters by field path: `{"tenant__name": "acme"}` (AND), a list of such (OR), null (all). `"$user"` is the id of whoever acts.',
    schema: CONSTRAINTS,
    fallback: null,
  });
}
