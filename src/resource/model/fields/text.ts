/** Text columns: free text, choices, hexadecimal digits. */

import { z } from "zod";
import type { Field } from "../definition.ts";
import { columnField, type FieldOptions } from "./column.ts";
import { documented, NOT_BLANK_PATTERN, TEXT_PATTERN } from "./documented.ts";
import { NOT_BLANK, quote, wants } from "./messages.ts";

/** Settings of a text field. */
export interface TextOptions extends FieldOptions {
  /** Characters at the most; 200 unless told. */
  max?: number;
  /** Whether the empty text is taken; required fields may not be blank unless told. */
  blank?: boolean;
  /** What the text must look like, and how that is said. */
  pattern?: { regex: RegExp; wanted: string };
  nullable?: boolean;
  column?: string;
  defaultOperator?: "exact" | "contains" | "icontains";
  indexed?: { table: string; column: string };
  sortable?: boolean;
  /** A trimmed text unless false. */
  trim?: boolean;
}

/** The schema of a text. NUL is refused everywhere, because SQLite's functions stop at it; so are halves of pairs. */
export function textSchema(options: { max: number; blank: boolean; trim?: boolean }): z.ZodType<string> {
  let schema = z.string(wants("Expected text"));
  if (options.trim !== false) schema = schema.trim();
  const checked = schema
    .refine((text) => options.blank || text !== "", { error: NOT_BLANK, abort: true })
    .refine((text) => !text.includes("\0"), { error: "Null characters are not allowed.", abort: true })
    .refine((text) => text.isWellFormed(), { error: "Expected well-formed Unicode text.", abort: true })
    .refine((text) => hasAtMost(options.max, text), {
      error: `Ensure this field has no more than ${options.max} characters.`,
    });
  return documented(checked, {
    type: "string",
    ...(options.blank ? {} : { minLength: 1 }),
    maxLength: options.max,
    pattern: options.blank ? TEXT_PATTERN : NOT_BLANK_PATTERN,
  });
}

/** Whether a text has no more characters than `max`: code points, as JSON Schema counts them. */
function hasAtMost(max: number, text: string): boolean {
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}

/** Free text. */
export function text(name: string, options: TextOptions): Field {
  const column = options.column ?? name;
  const nullable = options.nullable ?? false;
  const { pattern } = options;
  const max = options.max ?? 200;
  const blank = options.blank ?? !options.required;
  const plain = textSchema({
    max,
    blank,
    ...(options.trim === undefined ? {} : { trim: options.trim }),
  });
  const schema = pattern === undefined ? plain : documented(
    plain.refine(
      (given) => given === "" || pattern.regex.test(given),
      { error: (issue) => `Expected ${pattern.wanted}, not ${quote(issue.input)}.` },
    ),
    {
      type: "string",
      ...(blank ? {} : { minLength: 1 }),
      maxLength: max,
      pattern: blank ? `^$|${pattern.regex.source}` : pattern.regex.source,
    },
  );
  return columnField<string | null>(name, options, {
    column,
    input: nullable ? schema.nullable() : schema,
    output: nullable ? z.string().nullable() : z.string(),
    fallback: nullable ? null : blank ? "" : undefined,
    decode: (cell) => cell,
    encode: (value) => value,
    filterField: {
      kind: "text",
      column,
      nullable,
      sortable: options.sortable ?? true,
      ...(options.defaultOperator === undefined ? {} : { defaultOperator: options.defaultOperator }),
      ...(options.indexed === undefined ? {} : { indexed: options.indexed }),
    },
  });
}

/** Settings of a choice. */
export interface ChoiceOptions extends FieldOptions {
  choices: readonly string[];
  fallback?: string;
  nullable?: boolean;
  column?: string;
}

/** Text out of a closed list. */
export function choice(name: string, options: ChoiceOptions): Field {
  const column = options.column ?? name;
  const nullable = options.nullable ?? false;
  const allowed = options.choices.join(", ");
  const schema = z.enum(options.choices as [string, ...string[]], wants(`Expected one of ${allowed}`));
  return columnField<string | null>(name, options, {
    column,
    input: nullable ? schema.nullable() : schema,
    output: nullable ? schema.nullable() : schema,
    fallback: options.fallback ?? (nullable ? null : undefined),
    decode: (cell) => cell,
    encode: (value) => value,
    filterField: { kind: "choice", column, nullable, sortable: true, choices: options.choices },
  });
}

/** Settings of a hexadecimal field. */
export interface HexOptions extends FieldOptions {
  /** Column of the plain form that is compared: lower case, no colons. */
  plainColumn: string;
  /** Digits, least and most. */
  digits: readonly [number, number];
  /** Compared as a number: leading zeros do not matter. */
  number?: boolean;
}

/** Hexadecimal digits, kept as they were given (colons optional), compared by their plain form. */
export function hex(name: string, options: HexOptions): Field {
  const [least, most] = options.digits;
  const wanted = least === most ? `${most} hexadecimal digits` : `${least} to ${most} hexadecimal digits`;
  const shape = /^[0-9A-Fa-f]+(?::[0-9A-Fa-f]+)*$/;
  const checked = z.string(wants(`Expected ${wanted}, colons optional`)).trim().refine((given) => {
    const count = given.length - (given.match(/:/g)?.length ?? 0);
    return shape.test(given) && count >= least && count <= most;
  }, { error: (issue) => `Expected ${wanted}, colons optional, not ${quote(issue.input)}.` });
  const schema = documented(checked, {
    type: "string",
    pattern: `^[0-9A-Fa-f](?::?[0-9A-Fa-f]){${least - 1},${most - 1}}$`,
  });
  const field = columnField<string>(name, options, {
    column: name,
    input: schema,
    output: z.string(),
    decode: (cell) => cell,
    encode: (value) => value,
    filterField: {
      kind: "hex",
      column: options.plainColumn,
      nullable: false,
      sortable: true,
      ...(options.number ? { number: true } : {}),
    },
  });
  return {
    ...field,
    columns: (value) => ({
      [name]: value as string,
      [options.plainColumn]: plainHex(value as string, { number: options.number ?? false }),
    }),
  };
}

/** Lower-case digits without colons; as a number also without leading zeros (`0` for zero). */
export function plainHex(given: string, options: { number: boolean }): string {
  const digits = given.replaceAll(":", "").toLowerCase();
  return options.number ? digits.replace(/^0+(?=.)/, "") : digits;
}
