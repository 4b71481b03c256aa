/** Messages about filters: collected by name, quoting what was given in a form that cannot mislead a reader. */

import type { FieldErrors } from "../base/errors.ts";
import { holdsPrivateKey } from "../x509/mod.ts";

/** Characters of a value that a message repeats. */
const QUOTED_CHARS = 100;
/** Control, format (bidi) and line characters, which could hide or reorder a message's text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A value in quotes: cut when long, characters that do not print replaced; never a part of a private key. */
export function quoteInput(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  if (holdsPrivateKey(text)) return "a private key";
  const shown = text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text;
  return `“${shown.replace(UNPRINTABLE, "\u{FFFD}")}”`;
}

/** Messages by name. A Map while they are collected: the names come from outside, and `__proto__` may be one. */
export type Messages = Map<string, string[]>;

/** Adds a message under a name. */
export function addMessage(messages: Messages, name: string, message: string): void {
  const present = messages.get(name);
  if (present === undefined) messages.set(name, [message]);
  else if (!present.includes(message)) present.push(message);
}

/** The collected messages as a refusal's body. */
export function toFieldErrors(messages: Messages): FieldErrors {
  return Object.fromEntries(messages);
}
