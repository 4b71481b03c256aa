/** Reads the values of filters as their fields require. */

import { type Finding, finding } from "../base/findings.ts";
import { parseDatetime } from "../base/clock.ts";
import { dateError } from "../base/spellings/dates.ts";
import { hexFinding, readHexDigits } from "../base/spellings/hex.ts";
import { MAX_FILTER_VALUE_CHARS, MAX_REGEX_CHARS } from "./limits.ts";
import { CURRENT_USER, type FilterOperator, type FilterValue } from "./ast.ts";
import { quoteInput } from "./messages.ts";
import type { FilterField } from "./field_map.ts";
import { patternFault, type RegexAllowance, takeRegex } from "./regex.ts";

/** A value, or why it is invalid. */
export type ReadValue = { readonly value: FilterValue } | { readonly error: Finding };

/** How a value is read. */
export interface ValueSpec {
  readonly field: FilterField;
  readonly operator: FilterOperator;
  /** Whether a relation is compared by id instead of by key. */
  readonly byId: boolean;
  /** The number of regular expressions that the request may still use. */
  readonly regexes: RegexAllowance;
}

/** Returns whether a field may be null. */
export function isNullable(field: FilterField): boolean {
  return "nullable" in field && field.nullable;
}

/** Reads a value from text. */
export function readTextValue(text: string, spec: ValueSpec): ReadValue {
  const { field, operator } = spec;
  const unfit = checkText(text);
  if (unfit !== undefined) return unfit;
  if (operator === "empty" || operator === "isnull") return readBoolean(text);
  if (operator === "regex" || operator === "iregex") {
    return readPattern(text, { ignoreCase: operator === "iregex", regexes: spec.regexes });
  }
  switch (field.kind) {
    case "integer":
      return field.decimal ? readDecimal(text) : readInteger(text);
    case "boolean":
      return readBoolean(text);
    case "datetime":
      return readDatetime(text);
    case "hex":
      return readHex(text, { operator, number: field.number === true });
    case "choice":
      return operator === "exact" || operator === "iexact"
        ? readChoice(text, { choices: field.choices, ignoreCase: operator === "iexact" })
        : readPlain(text, operator);
    case "reference":
    case "many":
      return spec.byId ? readInteger(text) : readPlain(text, operator);
    case "predicate":
      if (field.type === "boolean") return readBoolean(text);
      if (field.type === "datetime") return readDatetime(text);
      if (field.type === "string" || field.isOpen === true) return readPlain(text, "icontains");
      return field.type === "integer"
        ? readInteger(text)
        : readChoice(text, { choices: field.choices ?? [], ignoreCase: field.ignoreCase === true });
    case "text":
    case "values":
      return readPlain(text, operator);
  }
}

/** Reads a JSON value: text like {@link readTextValue}, numbers and booleans unchanged. */
export function readJsonValue(json: unknown, spec: ValueSpec): ReadValue {
  const type = spec.operator === "empty" || spec.operator === "isnull" ? "boolean" : typeOf(spec);
  if (typeof json === "string") return readTextValue(json, spec);
  if (typeof json === "number" && "decimal" in spec.field && spec.field.decimal) return { value: json };
  if (typeof json === "number" && type === "number") {
    return Number.isSafeInteger(json) ? { value: json } : notAWholeNumber(json);
  }
  if (typeof json === "boolean" && type === "boolean") return { value: json };
  const expectedText = { number: "a whole number", boolean: "true or false", text: "text" }[type];
  return expected(expectedText, json);
}

/** Reads a value of a permission constraint: JSON, or `"$user"` instead of an id. */
export function readConstraintValue(json: unknown, spec: ValueSpec): ReadValue {
  if (json !== "$user") return readJsonValue(json, spec);
  if (spec.operator === "exact" && typeOf(spec) === "number") return { value: CURRENT_USER };
  return { error: finding("only_for_user_ids") };
}

function typeOf({ field, byId }: ValueSpec): "number" | "boolean" | "text" {
  switch (field.kind) {
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "reference":
    case "many":
      return byId ? "number" : "text";
    case "predicate":
      return field.type === "integer" ? "number" : field.type === "boolean" ? "boolean" : "text";
    default:
      return "text";
  }
}

/** Returns an error for text that is invalid for every field. */
function checkText(text: string): ReadValue | undefined {
  if (text.length > MAX_FILTER_VALUE_CHARS) {
    return {
      error: finding("enter", {
        expected: `at most ${MAX_FILTER_VALUE_CHARS} characters`,
        value: text.length,
      }),
    };
  }
  if (text.includes("\0")) return { error: finding("null_character") };
  return text.isWellFormed() ? undefined : expected("well-formed Unicode text");
}

function expected(expected: string, ...given: readonly unknown[]): ReadValue {
  return {
    error: finding("enter", { expected, value: given.length === 0 ? undefined : quoteInput(given[0]) }),
  };
}

function notAWholeNumber(given: unknown): ReadValue {
  return expected("a whole number", given);
}

function readInteger(text: string): ReadValue {
  const value = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? { value: value + 0 } : notAWholeNumber(text);
}

function readDecimal(text: string): ReadValue {
  return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? { value: Number(text) } : expected("a number", text);
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readBoolean(text: string): ReadValue {
  const value = BOOLEANS.get(text.toLowerCase());
  return value === undefined ? expected("true or false", text) : { value };
}

function readDatetime(text: string): ReadValue {
  const value = parseDatetime(text);
  return value === undefined
    ? {
      error: dateError(
        text,
        quoteInput(text),
        "YYYY-MM-DD or an ISO 8601 datetime such as 2026-11-20T09:22:19Z",
      ),
    }
    : { value };
}

/**
 * Reads hexadecimal digits. Ignores separators and case, and leading zeros of a number unless a later part of it
 * is compared.
 */
function readHex(text: string, options: { operator: FilterOperator; number: boolean }): ReadValue {
  const digits = readHexDigits(text)?.toLowerCase();
  if (digits === undefined) {
    const form = { expected: "Enter hexadecimal digits, with or without colons", value: quoteInput(text) };
    return { error: hexFinding(text, form) };
  }
  const fromStart = ["exact", "iexact", "startswith", "istartswith"].includes(options.operator);
  return { value: options.number && fromStart ? digits.replace(/^0+(?=.)/, "") : digits };
}

function readChoice(text: string, options: { choices: readonly string[]; ignoreCase: boolean }): ReadValue {
  const fold = (choice: string): string => options.ignoreCase ? choice.toLowerCase() : choice;
  if (options.choices.some((choice) => fold(choice) === fold(text))) return { value: text };
  const choices = options.choices.map(quoteInput);
  return { error: finding("invalid_choice", { choices, value: quoteInput(text) }) };
}

/** Refuses an empty text for contains-like operators, because it would match every row. */
function readPlain(text: string, operator: FilterOperator): ReadValue {
  if (text === "" && operator !== "exact" && operator !== "iexact") return expected("some text");
  return { value: text };
}

function readPattern(
  text: string,
  { ignoreCase, regexes }: { ignoreCase: boolean; regexes: RegexAllowance },
): ReadValue {
  const excess = takeRegex(regexes);
  if (excess !== undefined) return { error: excess };
  if (text === "") return expected("a regular expression");
  if (text.length > MAX_REGEX_CHARS) {
    const form = `a regular expression of at most ${MAX_REGEX_CHARS} characters`;
    return { error: finding("enter", { expected: form, value: text.length }) };
  }
  const fault = patternFault(text, { ignoreCase });
  return fault === undefined
    ? { value: text }
    : { error: finding("invalid_regex", { reason: quoteInput(fault) }) };
}

/** Reads the text of `q`. */
export function readSearch(text: unknown): ReadValue {
  if (typeof text !== "string") return expected("text", text);
  return checkText(text) ?? readPlain(text.trim(), "icontains");
}

/**
 * Returns the comparison of a column that has few possible values with some of them, as literals: only then does SQLite
 * use a partial index, and recognize conditions that exclude each other. Undefined for other columns.
 */
export function literalComparison(field: FilterField, values: readonly FilterValue[]): string | undefined {
  if (!("column" in field) || field.member !== undefined) return undefined;
  const choices = field.kind === "choice" ? field.choices.filter((each) => /^[\w-]+$/.test(each)) : [];
  const literals = values.map((value) => {
    if (field.kind === "boolean") return value ? "1" : "0";
    return choices.some((each) => each === value) ? `'${value}'` : undefined;
  });
  if (literals.includes(undefined)) return undefined;
  // Not IN, because SQLite does not use a partial index for a list of one.
  return literals.length === 1 ? `= ${literals[0]}` : `IN (${literals.join(", ")})`;
}

/** Returns values as they are bound in SQL, for the acting user. */
export function boundValues(
  values: readonly FilterValue[],
  userId: number | null,
): readonly (string | number | boolean)[] {
  return values.map((value) => {
    if (value === null) throw new Error("Null values must be compared by isnull");
    if (typeof value !== "object") return value;
    if (userId === null) throw new Error("A condition with $user requires an acting user");
    return userId;
  });
}
