/** Messages about filters, collected by name. */

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

/** Messages by name. A Map, because names come from requests, and one of them may be `__proto__`. */
export type Messages = Map<string, string[]>;

/** Adds a message under a name. */
export function addMessage(messages: Messages, name: string, message: string): void {
  const present = messages.get(name);
  if (present === undefined) messages.set(name, [message]);
  else if (!present.includes(message)) present.push(message);
}
