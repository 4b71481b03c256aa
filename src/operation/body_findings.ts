/** Converts errors of a body to field errors, with the messages that all operations use. */

import type { z } from "zod";
import { AppError, invalid } from "../base/errors.ts";
import { addOnce, encoded, type Finding, finding, issue, ofIssue } from "../base/findings.ts";
import { missing, quote, unexpected } from "../resource/mod.ts";

/** A finding in a body. */
export interface BodyFinding extends Finding {
  /** Names and indexes that lead to the value; empty for the whole body. */
  readonly path: readonly PropertyKey[];
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

/** Returns the finding of an issue whose schema has none. */
function messageOf(given: z.core.$ZodRawIssue): string {
  const { input } = given;
  switch (given.code) {
    case "invalid_type": {
      const expected = EXPECTED[given.expected];
      if (input !== undefined && !given.path?.length) {
        return issue("unexpected", { expected: expected ?? "undefined", value: kindOf(input) });
      }
      return encoded(missing(input) ?? unexpected(expected ?? given.expected, input));
    }
    case "invalid_value": {
      // An empty part of a form is the same as none.
      const choices = given.values.map(String).filter((choice) => choice !== "");
      if (input === undefined) return issue("required");
      return issue("expected_one_of", { choices, value: quote(input) });
    }
    case "too_small":
      if (given.origin === "string") {
        const min = Number(given.minimum);
        return min === 1 ? issue("blank") : issue("too_short", { min });
      }
      if (given.origin === "array") return issue("choose_one");
      return encoded(unexpected(`a number of ${given.minimum} or more`, input));
    case "too_big":
      if (given.origin === "string") return issue("too_long", { max: Number(given.maximum) });
      if (given.origin === "array") return issue("too_many_elements", { max: Number(given.maximum) });
      return encoded(unexpected(`a number of ${given.maximum} or less`, input));
    case "invalid_union": {
      const absent = missing(input);
      return absent === undefined ? UNION : encoded(absent);
    }
    default:
      return issue("invalid", { value: quote(input) });
  }
}

/** Returns the type of a body for a message, because its content may be a secret. */
function kindOf(body: unknown): string {
  if (body === null) return "null";
  if (Array.isArray(body)) return "a list";
  return typeof body === "string" ? "text" : typeof body === "object" ? "an object" : `a ${typeof body}`;
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
    return [ofBody(issue, path)];
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
  return [first?.message ? ofBody(first, path) : { ...finding("invalid"), path }];
}

/** Returns the finding of an issue. A missing body is not a missing field. */
function ofBody({ message }: { message: string }, path: readonly PropertyKey[]): BodyFinding {
  const one = ofIssue({ message, path: [] });
  return { ...(path.length === 0 && one.code === "required" ? finding("empty_body") : one), path };
}

/** Returns the error of an invalid body: findings by field, or one about the whole body. */
export function refusalOf(findings: readonly BodyFinding[]): AppError {
  const ofAll = findings.find(({ path }) => path.length === 0);
  return ofAll === undefined ? invalid(fieldErrors(findings)) : new AppError("invalid", ofAll);
}

/** Returns findings by field. Those about members keep their place (`Entry 2: Expected an id, not "x".`). */
export function fieldErrors(findings: readonly BodyFinding[]): Finding[] {
  const errors: Finding[] = [];
  for (const { path: [name, ...path], ...one } of findings) {
    const field = String(name);
    const shown = field.length > MAX_NAME_CHARS ? `${field.slice(0, MAX_NAME_CHARS)}…` : field;
    addOnce(errors, shown, { ...one, path });
  }
  return errors;
}
