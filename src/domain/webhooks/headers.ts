/** Checks which headers a webhook may add to its requests (RFC 9110 §5). */

import { MAX_WEBHOOK_HEADER_CHARS, MAX_WEBHOOK_HEADER_NAME_CHARS } from "./limits.ts";

/** A field name is a token (RFC 9110 §5.1, §5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * Visible characters, with spaces and tabs between them (RFC 9110 §5.5), so that a value cannot start a new
 * line.
 */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Names that control the connection (RFC 9110 §7.6.1), the framing of the message, or its signature. */
const RESERVED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
  "x-hook-signature",
]);
const RESERVED_BEGINNINGS = ["proxy-", "sec-", "webhook-", "x-forwarded-"];

/** JSON schemas of a name and a value. */
export const HEADER_NAME = {
  pattern: TOKEN.source,
  maxLength: MAX_WEBHOOK_HEADER_NAME_CHARS,
  not: {
    pattern: `^(?:${
      [...[...RESERVED].map((name) => `${name}$`), ...RESERVED_BEGINNINGS].map(anyCase).join("|")
    })`,
  },
};
export const HEADER_VALUE = { pattern: VALUE.source, maxLength: MAX_WEBHOOK_HEADER_CHARS };

/** Returns a pattern for a word in any case, because patterns in JSON Schema have no flags. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Returns why a webhook may not set a header with this name; undefined if it may. */
export function headerNameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return "Expected a header name";
  if (name.length > MAX_WEBHOOK_HEADER_NAME_CHARS) {
    return `Ensure this name has no more than ${MAX_WEBHOOK_HEADER_NAME_CHARS} characters`;
  }
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_BEGINNINGS.some((beginning) => lower.startsWith(beginning))
    ? "This header is reserved for the service or the connection"
    : undefined;
}

/**
 * Returns why this cannot be the value of a header; undefined if it can. Never quotes it, because it may be a
 * secret.
 */
export function headerValueFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "Expected text";
  if (value.length > MAX_WEBHOOK_HEADER_CHARS) {
    return `Ensure this value has no more than ${MAX_WEBHOOK_HEADER_CHARS} characters`;
  }
  return VALUE.test(value)
    ? undefined
    : "Expected visible ASCII characters, without line breaks or spaces around them";
}
