/** Quotes values of a request in messages. */

/** Maximum number of characters of a value that a message quotes. */
export const MAX_QUOTED_CHARS = 100;

/** Bidirectional and other invisible format characters, which could make a message look different. */
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a text without invisible characters, with single plain spaces, trimmed. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
}

/** Quotes a value as JSON, shortened and with control and invisible characters escaped. */
export function quoteJson(value: unknown): string {
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 2 * MAX_QUOTED_CHARS) : value);
  return shorten(text ?? "undefined").replace(
    INVISIBLE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the first characters of a text, with an ellipsis for the others. */
export function shorten(text: string, max = MAX_QUOTED_CHARS): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}
