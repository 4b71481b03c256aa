/** Quotes values of filters in messages. */

import { shorten } from "../base/quote.ts";
import { holdsPrivateKey } from "../x509/mod.ts";

/** Control, format (bidi) and line characters, which could hide or reorder the text of a message. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Quotes a value, shortened and with unprintable characters replaced. Never quotes a private key. */
export function quoteInput(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  if (holdsPrivateKey(text)) return "a private key";
  return `“${shorten(text).replace(UNPRINTABLE, "\u{FFFD}")}”`;
}
