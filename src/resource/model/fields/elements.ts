/** Lists of choices, filters on JSON columns, and their values during a write. */

import { issue } from "../../../base/findings.ts";
import { sql, type SQLWrapper } from "drizzle-orm";
import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { MAX_CHOICES } from "../../../base/limits.ts";
import type { FilterField } from "../../../filters/mod.ts";
import type { Field, Values } from "../field.ts";
import { choiceError, expectedError } from "./messages.ts";
import { json } from "./scalar.ts";
import type { Row } from "../../../db/mod.ts";

/** Returns a filter on the elements of a JSON list in a column. */
export function elementFilter(table: SQLWrapper, column: string): FilterField {
  return {
    kind: "values",
    defaultOperator: "exact",
    ids: (condition) =>
      sql`SELECT ${table}.id FROM ${table}, json_each(${table}.${sql.identifier(column)}) AS element WHERE ${
        condition(sql`element.value`)
      }`,
  };
}

/** Returns the value of a JSON field after a write: the input, or the stored value. */
export function effectiveJson<Input extends Values, Name extends keyof Input & string>(
  { input, before }: { readonly input: Input; readonly before?: Row },
  field: Name,
): Input[Name] | undefined {
  if (field in input) return input[field];
  const stored = before?.[field];
  return typeof stored === "string" ? JSON.parse(stored) : undefined;
}

/** Defines a list of choices, each stored once, in the order of `choices`. */
export function choicesField<const Name extends string, const Choice extends string>(
  name: Name,
  { table, description, choices, fallback }: {
    table: SQLWrapper;
    description: string;
    choices: readonly Choice[];
    /** The list of an object that is created without one; required if absent. */
    fallback?: readonly NoInfer<Choice>[];
  },
): Field<Name, Choice[], Choice[]> {
  const schema = boundedList(z.enum(choices, choiceError(choices)), {
    max: MAX_CHOICES,
    ...expectedError("a list"),
    empty: issue("choose_one"),
  })
    .transform((given) => choices.filter((choice) => given.includes(choice)));
  return {
    ...json<Name, Choice[]>(name, {
      description,
      schema,
      ...(fallback === undefined ? { required: true } : { fallback: [...fallback] }),
    }),
    output: z.array(z.enum(choices)),
    filters: { [name]: elementFilter(table, name) },
  };
}
