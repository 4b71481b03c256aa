/** Text columns: free text, choices, hexadecimal digits. */

import { encoded, issue } from "../../../base/findings.ts";
import { z } from "zod";
import { hexFinding } from "../../../base/spellings/hex.ts";
import type { IndexedColumn } from "../../../filters/mod.ts";
import type { Field } from "../field.ts";
import { columnField, type FieldOptions } from "./column.ts";
import {
  documented,
  fallbackOf,
  NOT_BLANK_PATTERN,
  type OrNull,
  outputOf,
  sharedSchema,
  TEXT_OUTPUT,
  TEXT_PATTERN,
} from "./documented.ts";
import { choiceError, expectedError, quote, unexpected } from "./messages.ts";

export interface TextOptions<Nullable extends boolean = boolean> extends FieldOptions {
  /** Maximum number of characters; 200 by default. */
  max?: number;
  /** Whether empty text is valid; by default if the field is not required. */
  blank?: boolean;
  /** Format of the text, and its description in messages. */
  pattern?: { regex: RegExp; expected: string };
  nullable?: Nullable;
  column?: string;
  defaultOperator?: "exact" | "iexact" | "contains" | "icontains";
  indexed?: IndexedColumn;
  sortable?: boolean;
  /** Whether to trim the text; true by default. */
  trim?: boolean;
}

/** Length from which a text counts in the budget of a page. A thousand shorter ones always stay below it. */
const LARGE_TEXT_CHARS = 4_000;

/**
 * Returns the schema of a text. Refuses null characters, at which SQLite's functions stop, and lone
 * surrogates.
 */
export function textSchema(options: { max: number; blank: boolean; trim?: boolean }): z.ZodType<string> {
  const key = `text ${options.max} ${options.blank} ${options.trim !== false}`;
  return sharedSchema(key, () => makeTextSchema(options));
}

function makeTextSchema(options: { max: number; blank: boolean; trim?: boolean }): z.ZodType<string> {
  // One call, because each separate check would copy the schema.
  const checked = z.string(expectedError("text")).check(
    ...(options.trim === false ? [] : [z.trim()]),
    z.refine((text: string) => options.blank || text !== "", { error: issue("blank"), abort: true }),
    z.refine((text: string) => !text.includes("\0"), {
      error: issue("null_character"),
      abort: true,
    }),
    z.refine((text: string) => text.isWellFormed(), {
      error: issue("not_unicode"),
      abort: true,
    }),
    z.refine((text: string) => hasAtMost(options.max, text), {
      error: issue("too_long", { max: options.max }),
    }),
  );
  return documented(checked, {
    type: "string",
    ...(options.blank ? {} : { minLength: 1 }),
    maxLength: options.max,
    pattern: options.blank ? TEXT_PATTERN : NOT_BLANK_PATTERN,
  });
}

/** Returns whether a text has at most `max` characters (code points, as in JSON Schema). */
function hasAtMost(max: number, text: string): boolean {
  if (text.length <= max) return true;
  return text.length <= 2 * max && [...text].length <= max;
}

/** Defines a free text. */
export function text<const Name extends string, Nullable extends boolean = false>(
  name: Name,
  options: TextOptions<Nullable>,
): Field<Name, OrNull<string, Nullable>, OrNull<string, Nullable>> {
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
      { error: ({ input }) => encoded(unexpected(pattern.expected, input)) },
    ),
    {
      type: "string",
      ...(blank ? {} : { minLength: 1 }),
      maxLength: max,
      pattern: blank ? `^$|${pattern.regex.source}` : pattern.regex.source,
    },
  );
  const field = columnField<OrNull<string, Nullable>, Name, OrNull<string, Nullable>>(name, options, {
    column,
    input: outputOf(schema, nullable),
    output: outputOf(TEXT_OUTPUT, nullable),
    fallback: fallbackOf(blank && !nullable ? "" : undefined, nullable),
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
  return max > LARGE_TEXT_CHARS ? { ...field, size: { large: true } } : field;
}

export interface ChoiceOptions<Choice extends string, Nullable extends boolean> extends FieldOptions {
  choices: readonly Choice[];
  fallback?: NoInfer<Choice>;
  nullable?: Nullable;
  column?: string;
}

/** Defines a text from a fixed list of choices. */
export function choice<
  const Name extends string,
  const Choice extends string,
  Nullable extends boolean = false,
>(
  name: Name,
  options: ChoiceOptions<Choice, Nullable>,
): Field<Name, OrNull<Choice, Nullable>, OrNull<Choice, Nullable>> {
  const column = options.column ?? name;
  const nullable = options.nullable ?? false;
  const schema = sharedSchema(
    `choice ${JSON.stringify(options.choices)}`,
    () => z.enum(options.choices, choiceError(options.choices, Infinity)),
  );
  return columnField<OrNull<Choice, Nullable>, Name, OrNull<Choice, Nullable>>(name, options, {
    column,
    input: outputOf(schema, nullable),
    output: outputOf(schema, nullable),
    fallback: fallbackOf(options.fallback, nullable),
    encode: (value) => value,
    filterField: { kind: "choice", column, nullable, sortable: true, choices: options.choices },
  });
}

/** Options of a hexadecimal field. */
export interface HexOptions extends FieldOptions {
  /** Column with the normalized form that is compared: lower case, no colons. */
  plainColumn: string;
  /** Minimum and maximum number of digits. */
  digits: readonly [number, number];
  /** Whether it is compared as a number, ignoring leading zeros. */
  number?: boolean;
}

/**
 * Defines hexadecimal digits with optional colons, which are stored unchanged and compared in normalized
 * form.
 */
export function hex<const Name extends string>(name: Name, options: HexOptions): Field<Name, string, string> {
  const [least, most] = options.digits;
  const expected = least === most ? `${most} hexadecimal digits` : `${least} to ${most} hexadecimal digits`;
  const shape = /^[0-9A-Fa-f]+(?::[0-9A-Fa-f]+)*$/;
  const checked = z.string(expectedError(`${expected}, colons optional`)).trim().refine((given) => {
    const count = given.length - (given.match(/:/g)?.length ?? 0);
    return shape.test(given) && count >= least && count <= most;
  }, {
    error: ({ input }) =>
      encoded(hexFinding(String(input), {
        expected: `Expected ${expected}, colons optional`,
        value: quote(input),
        digits: options.digits,
      })),
  });
  const schema = documented(checked, {
    type: "string",
    pattern: `^[0-9A-Fa-f](?::?[0-9A-Fa-f]){${least - 1},${most - 1}}$`,
  });
  const field = columnField<string, Name, string>(name, options, {
    column: name,
    input: schema,
    output: TEXT_OUTPUT,
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
      [name]: String(value),
      [options.plainColumn]: plainHex(String(value), { number: options.number ?? false }),
    }),
  };
}

/** Returns lower-case digits without colons; for a number also without leading zeros (`0` for zero). */
export function plainHex(given: string, options: { number: boolean }): string {
  const digits = given.replaceAll(":", "").toLowerCase();
  return options.number ? digits.replace(/^0+(?=.)/, "") : digits;
}
