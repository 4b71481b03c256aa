/** The wording of field errors: what is wrong, the value quoted, and what is wanted. */

import { nearest } from "../../../filters/mod.ts";
import { holdsPrivateKey } from "../../../x509/mod.ts";

const MAX_QUOTED_CHARS = 100;

/** A value as it may be shown in a message: short, with control characters escaped; never a part of a private key. */
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

/** The `error` setting of a zod schema: required and null have words of their own, all else is `wanted`. */
export function wants(wanted: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: (issue): string => {
      if (issue.input === undefined) return REQUIRED;
      if (issue.input === null) return NOT_NULL;
      return `${wanted}, not ${quote(issue.input)}.`;
    },
  };
}

/** The refusal of a field that does not exist, with the name that was probably meant. */
export function unknownField(name: string, known: Iterable<string>): string {
  const near = nearest(name, known);
  return near === undefined ? "Unknown field." : `Unknown field. Did you mean "${near}"?`;
}
