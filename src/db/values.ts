/**
 * Values that SQLite can store. A null character ends a text when it is read, and a lone surrogate in a JSON escape
 * becomes invalid UTF-8, which crashes the process when it is read.
 */

import { invalid } from "../base/errors.ts";

/** Returns the text with lone surrogates replaced by U+FFFD. Throws `invalid` if it contains a null character. */
export function storableText(text: string): string {
  if (text.includes("\0")) throw invalid({ __all__: ["Null characters are not allowed."] });
  return text.toWellFormed();
}

/** Returns the number. Throws a TypeError if it is not finite, or an integer beyond 2^53. */
export function storableNumber(number: number): number {
  if (Number.isSafeInteger(number) || Number.isFinite(number) && !Number.isInteger(number)) return number;
  throw new TypeError(`Expected a finite number, or an integer within 2^53, not ${number}`);
}

/** Returns JSON for a column, with every string converted by {@link storableText}. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_key, each) => typeof each === "string" ? storableText(each) : each);
}
