/** Messages of field errors: what is expected, and the quoted value. */

import { nearest } from "../../../filters/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";

const MAX_QUOTED_CHARS = 100;

/** Quotes a value for a message: shortened, with control characters escaped. Never quotes a private key. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  if (holdsPrivateKey(text)) return "a private key";
  const shown = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
  // Bidirectional and other invisible format characters could make a message read as something else.
  return shown.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export const REQUIRED = "This field is required.";
export const NOT_NULL = "This field may not be null.";
export const NOT_BLANK = "This field may not be blank.";

/** Returns the `error` option of a zod schema: own messages for missing and null values, otherwise `expected`. */
export function wants(expected: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: (issue): string => {
      if (issue.input === undefined) return REQUIRED;
      if (issue.input === null) return NOT_NULL;
      return `${expected}, not ${quote(issue.input)}.`;
    },
  };
}

/** The refusal of a field that does not exist, with the name that was probably meant. */
export function unknownField(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? "Unknown field." : `Unknown field. Did you mean "${near}"?`;
}
