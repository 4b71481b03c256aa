/** Validates values of custom fields, and returns them as they are stored. */

import { type Finding, finding } from "../../base/findings.ts";
import { MAX_JSON_DEPTH } from "../../base/limits.ts";
import { formatDate, formatDatetime, parseDatetime } from "../../base/clock.ts";
import { memoize } from "../../base/memoize.ts";
import { dateError } from "../../base/spellings/dates.ts";
import { webUrlFault } from "../../base/web_url.ts";
import { LIST_SEPARATOR } from "../../formats/mod.ts";
import { type Pattern, type ScanBudget, scanBudget, takePattern } from "../../filters/mod.ts";
import { quote, unexpected } from "../model/fields/messages.ts";
import type { CustomField } from "./definitions.ts";

/** Maximum length of a text, and of a JSON value. */
export const MAX_CHARS = 10_000;
const MAX_CHOICES = 100;

/** The members of a definition that decide which values are valid. */
export type ValueRules = Pick<
  CustomField,
  "type" | "required" | "minimum" | "maximum" | "regex" | "choices"
>;

/** A stored value, or why a value is refused. */
export type CheckedValue = { readonly value: unknown } | { readonly error: Finding };

/**
 * Validates a value. null is valid unless the field is required. The caller resolves references.
 * @param budget What regular expressions may cost for all values of a request together.
 */
export function checkCustomValue(
  field: ValueRules,
  given: unknown,
  budget: Pick<ScanBudget, "steps"> = scanBudget(),
): CheckedValue {
  const value = given === "" && field.type !== "text" && field.type !== "longtext" ? null : given;
  if (value === null || value === undefined || (field.required && value === "")) {
    return field.required ? { error: finding("required") } : { value: null };
  }
  switch (field.type) {
    case "text":
    case "longtext":
      return checkText(field, value, budget);
    case "url":
      return checkUrl(field, value, budget);
    case "integer":
    case "decimal":
      return checkNumber(field, value);
    case "boolean":
      return checkBoolean(value);
    case "date":
    case "datetime":
      return checkTime(field, value);
    case "json":
      return checkJson(value);
    case "select":
      return checkChoice(field, value);
    case "multiselect":
      return checkChoices(field, value);
    case "object":
      return checkId(value);
  }
}

function expected(form: string, value: unknown): CheckedValue {
  return { error: unexpected(form, value) };
}

/** Returns the compiled regular expression of a field. Cached. */
const patternOf = memoize(({ regex }: ValueRules): Pattern => takePattern(regex, { ignoreCase: false }));

function checkText(field: ValueRules, value: unknown, budget: Pick<ScanBudget, "steps">): CheckedValue {
  if (typeof value !== "string") return expected("text", value);
  if (value.includes("\0")) return { error: finding("null_character") };
  if (!value.isWellFormed()) return { error: finding("not_unicode") };
  if (value.length > MAX_CHARS) {
    return { error: finding("too_long", { max: MAX_CHARS }) };
  }
  if (field.regex === "") return { value };
  const pattern = patternOf(field);
  budget.steps -= value.length * pattern.size;
  if (budget.steps < 0) return { error: finding("texts_too_expensive") };
  if (!pattern.test(value)) {
    return expected(`text that matches the regular expression ${field.regex}`, value);
  }
  return { value };
}

function checkUrl(field: ValueRules, value: unknown, budget: Pick<ScanBudget, "steps">): CheckedValue {
  const text = checkText(field, value, budget);
  if ("error" in text) return text;
  const fault = webUrlFault(String(value));
  return fault === undefined ? text : { error: fault };
}

function checkNumber({ type, minimum, maximum }: ValueRules, value: unknown): CheckedValue {
  const isInteger = type === "integer";
  const form = isInteger ? "a whole number" : "a number";
  const pattern = isInteger ? /^-?\d{1,15}$/ : /^-?\d{1,15}(?:\.\d{1,15})?$/;
  const number = typeof value === "string" && pattern.test(value.trim()) ? Number(value) : value;
  if (
    typeof number !== "number" || !Number.isFinite(number) || (isInteger && !Number.isSafeInteger(number))
  ) {
    return expected(form, value);
  }
  if (minimum !== null && number < minimum) return expected(`${form} of ${minimum} or more`, value);
  if (maximum !== null && number > maximum) return expected(`${form} of ${maximum} or less`, value);
  return { value: number };
}

function checkBoolean(value: unknown): CheckedValue {
  const known = new Map<unknown, boolean>([[true, true], ["true", true], [false, false], ["false", false]]);
  const found = known.get(typeof value === "string" ? value.toLowerCase() : value);
  return found === undefined ? expected("true or false", value) : { value: found };
}

function checkTime({ type }: ValueRules, value: unknown): CheckedValue {
  const date = type === "date";
  const text = typeof value === "string" ? value.trim() : "";
  const at = !date || /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseDatetime(text) : undefined;
  if (at === undefined) {
    const form = date ? "YYYY-MM-DD" : "an ISO 8601 datetime such as 2026-11-20T09:22:19Z";
    return { error: dateError(date ? text.replace(/[T ]\d\d:.*$/, "") : text, quote(value), form) };
  }
  return { value: date ? formatDate(at) : formatDatetime(at) };
}

function checkJson(value: unknown): CheckedValue {
  if (isDeeperThan(MAX_JSON_DEPTH, value)) {
    return { error: finding("unexpected", { expected: `at most ${MAX_JSON_DEPTH} levels of nesting` }) };
  }
  const text = JSON.stringify(value);
  if (text.includes("\\u0000")) return { error: finding("null_character") };
  return text.length > MAX_CHARS ? { error: finding("too_long", { max: MAX_CHARS }) } : { value };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(levels - 1, one));
}

function checkChoice({ choices }: ValueRules, value: unknown): CheckedValue {
  const values = (choices ?? []).map(([one]) => one);
  // NetBox's clients send a choice back as {value, label}.
  const one = typeof value === "object" && value !== null && "value" in value ? value.value : value;
  return typeof one === "string" && values.includes(one)
    ? { value: one }
    : expected(`one of ${values.join(", ")}`, value);
}

function checkChoices(field: ValueRules, given: unknown): CheckedValue {
  // In a CSV file, the list is one cell.
  const value = typeof given === "string" ? given.split(LIST_SEPARATOR).map((one) => one.trim()) : given;
  if (!Array.isArray(value) || value.length > MAX_CHOICES) {
    return expected(`a list of at most ${MAX_CHOICES} choices`, value);
  }
  const found = new Set<unknown>();
  for (const one of value) {
    const checked = checkChoice(field, one);
    if ("error" in checked) return checked;
    found.add(checked.value);
  }
  if (field.required && found.size === 0) return { error: finding("required") };
  return { value: [...found] };
}

function checkId(value: unknown): CheckedValue {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : value;
  const number = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? { value: number }
    : expected("an id or an object with id", value);
}
