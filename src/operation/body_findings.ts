/** Converts errors of a body to field errors, with the messages that all operations use. */

import type { z } from "zod";
import { addError, AppError, type FieldErrors, invalid } from "../base/errors.ts";
import { memberMessage, NOT_BLANK, NOT_NULL, quote, REQUIRED } from "../resource/mod.ts";

/** An error in a body. */
export interface BodyFinding {
  /** Names and indexes that lead to the value; empty for the whole body. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Maximum length of a field's name that a refusal repeats. */
const MAX_NAME_CHARS = 100;

const EXPECTED: Readonly<Record<string, string>> = {
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  file: "a file",
};

/** Marks an issue of a union until {@link findingsOf} examines its alternatives. */
const UNION = "";

/** Returns the message of an issue whose schema has none. */
function messageOf(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_type":
      if (input === undefined) return REQUIRED;
      if (input === null && issue.path?.length) return NOT_NULL;
      if (!issue.path?.length) return `Expected ${EXPECTED[issue.expected]}, not ${kindOf(input)}.`;
      return notExpected(EXPECTED[issue.expected] ?? issue.expected, input);
    case "invalid_value":
      if (input === undefined) return REQUIRED;
      return notExpected(`one of ${issue.values.map(String).join(", ")}`, input);
    case "too_small":
      if (issue.origin === "string") return Number(issue.minimum) === 1 ? NOT_BLANK : tooShort(issue);
      if (issue.origin === "array") return "Choose at least one.";
      return notExpected(`a number of ${issue.minimum} or more`, input);
    case "too_big":
      if (issue.origin === "string") return `Ensure this field has no more than ${issue.maximum} characters.`;
      if (issue.origin === "array") return `Ensure this field has no more than ${issue.maximum} elements.`;
      return notExpected(`a number of ${issue.maximum} or less`, input);
    case "invalid_union":
      return input === undefined ? REQUIRED : input === null ? NOT_NULL : UNION;
    default:
      return `Invalid value ${quote(input)}.`;
  }
}

/** Returns the type of a body for a message, because its content may be a secret. */
function kindOf(body: unknown): string {
  if (body === null) return "null";
  if (Array.isArray(body)) return "a list";
  return typeof body === "string" ? "text" : typeof body === "object" ? "an object" : `a ${typeof body}`;
}

function notExpected(expected: string, input: unknown): string {
  return `Expected ${expected}, not ${quote(input)}.`;
}

function tooShort({ minimum }: { minimum: number | bigint }): string {
  return `Ensure this field has at least ${minimum} characters.`;
}

/** Parses a body. Returns its value or all errors. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { value: z.output<Schema> } | { findings: BodyFinding[] } {
  const result = schema.safeParse(input, { error: messageOf });
  if (result.success) return { value: result.data };
  return { findings: result.error.issues.flatMap((issue) => findingsOf(issue, input)) };
}

/**
 * Returns the findings of an issue. For a union, returns those of the alternative with the fewest, which was
 * probably meant.
 */
function findingsOf(
  issue: z.core.$ZodIssue,
  body: unknown,
  before: readonly PropertyKey[] = [],
): BodyFinding[] {
  const path = [...before, ...issue.path];
  if (issue.code !== "invalid_union" || issue.message !== UNION) {
    return [{ path, message: wholeBody(issue, path) }];
  }
  const meant = issue.errors.filter((issues) =>
    issues.length > 0 && issues.every((one) => one.path.length > 0)
  );
  const fewest = Math.min(...meant.map(({ length }) => length));
  const [closest, other] = meant.filter(({ length }) => length === fewest);
  if (closest !== undefined && (other === undefined || path.length === 0)) {
    return closest.flatMap((one) => findingsOf(one, body, path));
  }
  const [first] = issue.errors.flat();
  return [{ path, message: first?.message || "Invalid value." }];
}

/** Returns the message about a whole body: a missing body is not a missing field. */
function wholeBody({ message }: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  return path.length === 0 && message === REQUIRED ? "The body is empty. Expected an object." : message;
}

/** Returns the error of an invalid body: messages by field, or one message about the whole body. */
export function refusalOf(findings: readonly BodyFinding[]): AppError {
  const ofBody = findings.find(({ path }) => path.length === 0);
  return ofBody === undefined ? invalid(fieldErrors(findings)) : new AppError("invalid", ofBody.message);
}

/**
 * Groups messages by field. Messages about members begin with their position (`Entry 2: Expected an id, not "x".`).
 */
export function fieldErrors(findings: readonly BodyFinding[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path: [name, ...place], message } of findings) {
    const field = String(name);
    const shown = field.length > MAX_NAME_CHARS ? `${field.slice(0, MAX_NAME_CHARS)}…` : field;
    const text = memberMessage(place, message);
    if (!Object.hasOwn(errors, shown) || !errors[shown]?.includes(text)) addError(errors, shown, text);
  }
  return errors;
}
