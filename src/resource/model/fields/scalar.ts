/** Fields for numbers, booleans, datetimes and JSON. */

import { encoded, issue } from "../../../base/findings.ts";
import { z } from "zod";
import { boundedList, fitTogether } from "../../../base/bounded_list.ts";
import { formatDatetime, parseDatetime } from "../../../base/clock.ts";
import { dateError } from "../../../base/spellings/dates.ts";
import { type Cell, jsonText } from "../../../db/mod.ts";
import type { FilterField } from "../../../filters/mod.ts";
import type { Field } from "../field.ts";
import { columnField, type FieldOptions } from "./column.ts";
import {
  BOOLEAN_OUTPUT,
  DATETIME,
  DATETIME_OUTPUT,
  documented,
  documentedAs,
  fallbackOf,
  INTEGER_OUTPUT,
  type OrNull,
  outputOf,
  sharedSchema,
} from "./documented.ts";
import { expectedError, missing, quote, unexpected } from "./messages.ts";
import { textSchema } from "./text.ts";

/** Defines the id of an object. */
export function id(): Field<"id", number, number> {
  return columnField(
    "id",
    { description: "Unique id; never reused.", readOnly: true },
    {
      column: "id",
      input: INTEGER_OUTPUT,
      output: INTEGER_OUTPUT,
      encode: (value) => value,
      filterField: { kind: "integer", column: "id", nullable: false, sortable: true },
    },
  );
}

export interface IntegerOptions<Nullable extends boolean> extends FieldOptions {
  min?: number;
  max?: number;
  nullable?: Nullable;
  fallback?: number;
  column?: string;
}

/** Defines a whole number. Text with digits is also accepted. */
export function integer<const Name extends string, Nullable extends boolean = false>(
  name: Name,
  options: IntegerOptions<Nullable>,
): Field<Name, OrNull<number, Nullable>, OrNull<number, Nullable>> {
  const column = options.column ?? name;
  const nullable = options.nullable ?? false;
  const min = options.min ?? Number.MIN_SAFE_INTEGER;
  const max = options.max ?? Number.MAX_SAFE_INTEGER;
  const expected = options.max === undefined
    ? options.min === undefined ? "a whole number" : `a whole number of ${min} or more`
    : `a whole number from ${min} to ${max}`;
  const schema = sharedSchema(`integer ${min} ${max} ${expected}`, () => {
    const checked = z.union(
      [z.number(), z.string().regex(/^-?\d{1,16}$/).transform(Number)],
      expectedError(`${expected}`),
    )
      .refine((number) => Number.isSafeInteger(number) && number >= min && number <= max, {
        error: ({ input }) => encoded(unexpected(expected, input)),
      });
    return documented(checked, { type: "integer", minimum: min, maximum: max });
  });
  return columnField<OrNull<number, Nullable>, Name, OrNull<number, Nullable>>(name, options, {
    column,
    input: outputOf(schema, nullable),
    output: outputOf(INTEGER_OUTPUT, nullable),
    fallback: fallbackOf(options.fallback, nullable),
    encode: (value) => value,
    filterField: { kind: "integer", column, nullable, sortable: true },
  });
}

/** Defines a boolean. The texts `true` and `false`, which forms send, are also accepted. */
export function boolean<const Name extends string, Nullable extends boolean = false>(
  name: Name,
  options: FieldOptions & { fallback?: boolean; nullable?: Nullable; column?: string },
): Field<Name, OrNull<boolean, Nullable>, OrNull<boolean, Nullable>> {
  const column = options.column ?? name;
  const nullable = options.nullable ?? false;
  const schema = sharedSchema("boolean", () =>
    z.union(
      [z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")],
      expectedError("true or false"),
    ));
  return columnField<OrNull<boolean, Nullable>, Name, OrNull<boolean, Nullable>>(name, options, {
    column,
    input: outputOf(schema, nullable),
    output: outputOf(BOOLEAN_OUTPUT, nullable),
    fallback: fallbackOf(options.fallback, nullable),
    decode: (cell) => cell === null ? null : cell === 1,
    encode: (value) => value === null ? null : Number(value),
    filterField: { kind: "boolean", column, nullable, sortable: true },
  });
}

/** Defines a time: ISO 8601 in the API, milliseconds since the epoch in the database. */
export function datetime<const Name extends string, Nullable extends boolean = false>(
  name: Name,
  options: FieldOptions & { nullable?: Nullable; fallback?: number },
): Field<Name, OrNull<string, Nullable>, OrNull<number, Nullable>> {
  const nullable = options.nullable ?? false;
  const schema = sharedSchema("datetime", datetimeSchema);
  return columnField<OrNull<number, Nullable>, Name, OrNull<string, Nullable>>(name, options, {
    column: name,
    input: outputOf(schema, nullable),
    output: outputOf(DATETIME_OUTPUT, nullable),
    fallback: fallbackOf(options.fallback, nullable),
    decode: (cell) => cell === null ? null : formatDatetime(Number(cell)),
    encode: (value) => value,
    filterField: { kind: "datetime", column: name, nullable, sortable: true },
  });
}

function datetimeSchema(): z.ZodType<number> {
  const expected = "YYYY-MM-DD or an ISO 8601 datetime such as 2026-11-20T09:22:19Z";
  const wrong = (given: unknown): string =>
    encoded(missing(given) ?? dateError(given, quote(given), expected));
  const checked = z.string({ error: ({ input }) => wrong(input) })
    .transform((given, context) => {
      const at = parseDatetime(given.trim());
      if (at !== undefined) return at;
      context.addIssue({ code: "custom", message: wrong(given) });
      return z.NEVER;
    });
  return documented(checked, DATETIME);
}

/** Returns `created` and `last_updated`, which every write updates. */
export function timestamps(): (Field<"created", string, number> | Field<"last_updated", string, number>)[] {
  return [
    datetime("created", { description: "When the object was created.", readOnly: true }),
    datetime("last_updated", { description: "When the object was last changed.", readOnly: true }),
  ];
}

/** Defines an ordered list of texts, which is stored as JSON. */
export function list<const Name extends string>(
  name: Name,
  options: FieldOptions & {
    max: number;
    maxChars: number;
    filterField?: FilterField;
  },
): Field<Name, string[], string[]> {
  const schema = boundedList(textSchema({ max: options.maxChars, blank: false }), {
    max: options.max,
    ...expectedError("a list of texts"),
  });
  const bounded = documentedAs(
    schema,
    schema.refine(
      (texts) => fitTogether(texts, options.maxChars),
      {
        error: issue("too_many_in_all", { max: options.maxChars }),
      },
    ),
  );
  const field = columnField<string[], Name, string[]>(name, options, {
    column: name,
    input: bounded,
    output: z.array(z.string()),
    fallback: [],
    decode: (cell: Cell) => JSON.parse(String(cell)),
    encode: (value) => jsonText(value),
    ...(options.filterField === undefined ? {} : { filterField: options.filterField }),
  });
  return { ...field, size: { large: true } };
}

/** Defines structured data, which is stored as JSON and cannot be filtered. */
export function json<const Name extends string, Value>(
  name: Name,
  options: FieldOptions & { schema: z.ZodType<Value>; fallback?: Value; column?: string },
): Field<Name, Value, Value> {
  return columnField<Value, Name, Value>(name, options, {
    column: options.column ?? name,
    input: documentedAs(
      options.schema,
      options.schema.refine((value) => !holdsNull(value), { error: issue("null_character") }),
    ),
    output: options.schema,
    fallback: options.fallback,
    decode: (cell: Cell) => cell === null ? null : JSON.parse(String(cell)),
    encode: (value) => value === null ? null : jsonText(value),
  });
}

/** Returns whether any text in the data contains a null character, at which SQLite's functions stop. */
function holdsNull(value: unknown): boolean {
  return JSON.stringify(value)?.includes("\\u0000") ?? false;
}
