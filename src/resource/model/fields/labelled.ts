/** Choices that are returned as `{value, label}`, like those of NetBox's own models. */

import { z } from "zod";
import type { Cell } from "../../../db/mod.ts";
import type { Field } from "../field.ts";
import { columnField, type FieldOptions } from "./column.ts";
import { type OrNull, outputOf } from "./documented.ts";
import { choiceError } from "./messages.ts";

export interface LabelledChoiceOptions<Choice extends string, Nullable extends boolean> extends FieldOptions {
  /** Labels by value. */
  choices: Readonly<Record<Choice, string>>;
  fallback?: NoInfer<Choice>;
  nullable?: Nullable;
  column?: string;
}

/** A choice as it is returned. */
export interface Labelled<Choice extends string = string> {
  readonly value: Choice;
  readonly label: string;
}

/**
 * Defines a choice that is returned as `{value, label}`. It is written as the value alone or in the returned
 * form. An empty text is null if that is valid, as in NetBox.
 */
export function labelledChoice<
  const Name extends string,
  const Choice extends string,
  Nullable extends boolean = false,
>(
  name: Name,
  options: LabelledChoiceOptions<Choice, Nullable>,
): Field<Name, OrNull<Labelled<Choice>, Nullable>, Choice | null> {
  const { column = name } = options;
  const choices: Readonly<Record<string, string>> = options.choices;
  const nullable = options.nullable ?? false;
  const values = Object.keys(choices) as Choice[];
  const expected = choiceError(values, Infinity);
  const plain = z.enum(values, expected);
  const labelled = z.looseObject({ value: plain }).transform(({ value }) => value);
  const one = z.union([plain, labelled], expected);
  const input = nullable
    ? z.union([one, z.literal("").transform(() => null), z.null()], {
      error: (issue) => expected.error(issue),
    })
    : one;
  const output = z.object({ value: plain, label: z.string() });
  const read = (cell: Cell): unknown => cell === null ? null : { value: cell, label: choices[cell] ?? cell };
  const field = columnField<Choice | null, Name, OrNull<Labelled<Choice>, Nullable>>(name, options, {
    column,
    input,
    output: outputOf(output, nullable),
    fallback: options.fallback ?? (nullable ? null : undefined),
    decode: read,
    encode: (value) => value,
    filterField: { kind: "choice", column, nullable, sortable: true, choices: values },
  });
  return {
    ...field,
    shown: { labels: choices },
    // The change log has the plain value, which conditions of webhooks compare.
    ...(options.writeOnly ? {} : { record: { read: (row): unknown => row[column] ?? null } }),
  };
}
