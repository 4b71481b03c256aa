/** The wording of results: short, whatever a certificate contains. */

import { printable } from "../../../x509/mod.ts";

/** The most characters of one quoted text. */
const MAX_QUOTED_CHARS = 120;
/** The most texts of one list. */
const MAX_LISTED = 3;

/** Shortens a long text and makes control characters visible, so that it can be part of a message. */
export function clip(text: string): string {
  // Two more units than so many characters can take: a longer text has too many characters even when cut there.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARS + 2)];
  const short = characters.length > MAX_QUOTED_CHARS
    ? `${characters.slice(0, MAX_QUOTED_CHARS).join("")}…`
    : text;
  return printable(short);
}

/** `a, b, c and 4 more`. */
export function joinTexts(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).map(clip).join(", ");
  const more = texts.length - MAX_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const ALGORITHM_NAMES: Readonly<Record<string, string>> = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" };

/** Returns the usual spelling of an algorithm. */
export function algorithmName(algorithm: string): string {
  return ALGORITHM_NAMES[algorithm] ?? algorithm;
}
