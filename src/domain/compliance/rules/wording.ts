/** The wording of results, which must be short whatever a certificate contains. */

import { printable } from "../../../x509/mod.ts";

/** Maximum length of a quoted text. */
const MAX_QUOTED_CHARS = 120;
/** Maximum number of texts in a list. */
const MAX_LISTED = 3;

/** Shortens a long text and escapes control characters, so that it can be part of a message. */
export function clip(text: string): string {
  // Cuts first, because splitting a long text into characters is slow. A character has at most two units, so
  // two units more than the maximum show that the text is longer.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARS + 2)];
  const short = characters.length > MAX_QUOTED_CHARS
    ? `${characters.slice(0, MAX_QUOTED_CHARS).join("")}…`
    : text;
  return printable(short);
}

/** Returns `a, b, c and 4 more`. */
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
