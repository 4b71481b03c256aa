/** Choices that are returned as `{value, label}`, like those of NetBox's own models. */

import { z } from "zod";
import type { Cell } from "../../../db/mod.ts";
import type { Field } from "../definition.ts";
import { columnField, type FieldOptions } from "./column.ts";
import { expectedError } from "./messages.ts";

export interface LabelledChoiceOptions extends FieldOptions {
  /** Labels by value. */
  choices: Readonly<Record<string, string>>;
  fallback?: string;
  nullable?: boolean;
  column?: string;
}

/**
 * Defines a choice that is returned as `{value, label}`. It is written as the value alone or in the returned
 * form. An empty text is null if that is valid, as in NetBox.
 */
export function labelledChoice(name: string, options: LabelledChoiceOptions): Field {
  const { choices, nullable = false, column = name } = options;
  const values = Object.keys(choices);
  const expected = expectedError(`Expected one of ${values.join(", ")}`);
  const plain = z.enum(values as [string, ...string[]], expected);
  const labelled = z.looseObject({ value: plain }).transform(({ value }) => value);
  const one = z.union([plain, labelled], expected);
  const input = nullable
    ? z.union([one, z.literal("").transform(() => null), z.null()], {
      error: (issue) => expected.error(issue),
    })
    : one;
  const output = z.object({ value: plain, label: z.string() });
  const read = (cell: Cell): unknown =>
    cell === null ? null : { value: cell, label: choices[cell as string] ?? cell };
  const field = columnField<string | null>(name, options, {
    column,
    input,
    output: nullable ? output.nullable() : output,
    fallback: options.fallback ?? (nullable ? null : undefined),
    decode: read,
    encode: (value) => value,
    filterField: { kind: "choice", column, nullable, sortable: true, choices: values },
  });
  return {
    ...field,
    labels: choices,
    // The change log has the plain value, which conditions of webhooks compare.
    ...(options.writeOnly ? {} : { record: (row): unknown => row[column] ?? null }),
  };
}
