/**
 * Values that SQLite can hold and give back. A null character ends a text when it is read, and a lone surrogate that
 * reaches SQLite as a JSON escape becomes bytes that are no UTF-8, which end the process when they are read.
 */

import { invalid } from "../base/errors.ts";

/** The text, lone surrogates replaced by U+FFFD. Throws `invalid` when it holds a null character. */
export function storableText(text: string): string {
  if (text.includes("\0")) throw invalid({ __all__: ["Null characters are not allowed."] });
  return text.toWellFormed();
}

/** The number itself. Throws a TypeError when it is not finite, or whole and not exact. */
export function storableNumber(number: number): number {
  if (Number.isSafeInteger(number) || Number.isFinite(number) && !Number.isInteger(number)) return number;
  throw new TypeError(`Number ${number} cannot be stored, want a finite one, and within 2^53 if it is whole`);
}

/** JSON text for a column: as `JSON.stringify`, every string in it made as {@link storableText} makes it. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_key, each) => typeof each === "string" ? storableText(each) : each);
}
