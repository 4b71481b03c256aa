/** The wording of judgements: short, whatever a certificate holds. */

import { visible } from "../../../x509/mod.ts";

/** Characters of one quoted text. */
const MAX_QUOTED_CHARS = 120;
/** Texts of one list. */
const MAX_LISTED = 3;

/** A text as a message may hold it: cut when long, and nothing in it disturbs the text around it. */
export function clip(text: string): string {
  // Two more units than so many characters can take: a longer text has too many characters even when cut there.
  const characters = [...text.slice(0, 2 * MAX_QUOTED_CHARS + 2)];
  const short = characters.length > MAX_QUOTED_CHARS
    ? `${characters.slice(0, MAX_QUOTED_CHARS).join("")}…`
    : text;
  return visible(short);
}

/** `a, b, c and 4 more`. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).map(clip).join(", ");
  const more = texts.length - MAX_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `1 day`, `2 days`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const ALGORITHM_NAMES: Readonly<Record<string, string>> = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" };

/** An algorithm as people write it. */
export function algorithmName(algorithm: string): string {
  return ALGORITHM_NAMES[algorithm] ?? algorithm;
}
