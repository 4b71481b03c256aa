/** Messages of field errors: what is expected, and the quoted value. */

import { quoteJson } from "../../../base/quote.ts";
import { MAX_MISSPELLED_CHARS, nearest } from "../../../filters/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";

/**
 * Quotes a value for a message, shortened and with control characters escaped. Never quotes a private key.
 */
export function quote(value: unknown): string {
  return holdsPrivateKey(JSON.stringify(value) ?? "") ? "a private key" : quoteJson(value);
}

export const REQUIRED = "This field is required.";
export const NOT_NULL = "This field may not be null.";
export const NOT_BLANK = "This field may not be blank.";

/** Returns the `error` option of a zod schema: messages for missing and null values, otherwise `expected`. */
export function expectedError(expected: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: (issue): string => {
      if (issue.input === undefined) return REQUIRED;
      if (issue.input === null) return NOT_NULL;
      return `${expected}, not ${quote(issue.input)}.`;
    },
  };
}

/** Returns a message about a member of a list or object: `Entry 2: Expected an id, not "x".` Counts from one. */
export function memberMessage(path: readonly PropertyKey[], message: string): string {
  const [first, ...rest] = path;
  if (first === undefined) return message;
  if (typeof first !== "number") return `${path.map(String).join(".")}: ${message}`;
  return `Entry ${first + 1}${rest.length === 0 ? "" : `, ${rest.map(String).join(".")}`}: ${message}`;
}

/** Maximum number of choices that a message lists. */
const MAX_LISTED = 10;

/** Returns {@link expectedError} for choices: lists at most ten, and suggests the one that was probably meant. */
export function choiceError(choices: readonly string[]): { error: (issue: { input?: unknown }) => string } {
  const others = choices.length - MAX_LISTED;
  const listed = others > 1
    ? `${choices.slice(0, MAX_LISTED).join(", ")} or ${others} others`
    : choices.join(", ");
  const { error } = expectedError(`Expected one of ${listed}`);
  return {
    error(issue): string {
      const meant = others > 1 && typeof issue.input === "string"
        ? choiceLike(issue.input, choices)
        : undefined;
      return meant === undefined ? error(issue) : `${error(issue)} Did you mean "${meant}"?`;
    },
  };
}

/** Returns the choice that was probably meant: `certmgr.certificate` for `certificate`. */
function choiceLike(given: string, choices: readonly string[]): string | undefined {
  if (given === "" || given.length > MAX_MISSPELLED_CHARS) return undefined;
  const word = given.toLowerCase();
  return choices.find((choice) => choice.endsWith(`.${word}`)) ?? nearest(word, choices);
}

/** Returns the error for an unknown field, with the name that was probably meant. */
export function unknownField(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? "Unknown field." : `Unknown field. Did you mean "${near}"?`;
}
