/** Messages of field errors: what is expected, and the quoted value. */

import { quoteJson } from "../../../base/quote.ts";
import { nearest } from "../../../filters/mod.ts";
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

/** Returns the error for an unknown field, with the name that was probably meant. */
export function unknownField(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? "Unknown field." : `Unknown field. Did you mean "${near}"?`;
}
