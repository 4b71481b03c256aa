/**
 * The comparison of names by RFC 5280 §7.1, as a key: case, inner and outer white space and the string type do not
 * matter (RFC 4518 string preparation); everything else does.
 */

import { MAX_MARKS_IN_A_ROW } from "../base/limits.ts";

/** Characters that are combining marks once they are normalized: the marks, and two of half-width Katakana. */
const MARKS = new RegExp(`[\\p{M}\\uff9e\\uff9f]{${MAX_MARKS_IN_A_ROW + 1}}`, "u");
const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;

/**
 * The key of one attribute. `text` is absent for values that are no text: those are compared byte by byte, and so are
 * texts with more than {@link MAX_MARKS_IN_A_ROW} combining marks in a row.
 */
export function nameKey(
  oid: string,
  { text, der }: { text: string | undefined; der: Uint8Array },
): string {
  const prepared = text === undefined || SIMPLE.test(text) ? text?.toLowerCase() : prepare(text);
  if (prepared === undefined) return `${oid}=#${der.toHex()}`;
  // Marks are escaped, so that no value can look like two attributes or like bytes.
  return `${oid}=${prepared.replace(/[\\+,#]/g, "\\$&")}`;
}

/** RFC 4518 §2: map, normalise (NFKC), drop insignificant space; undefined for too many marks in a row. */
function prepare(text: string): string | undefined {
  const mapped = text
    // §2.2: controls that are white space become a space, other controls and invisible characters vanish.
    .replace(/[\t\n\v\f\r\u0085\p{Z}]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\u034f\u1806\ufe00-\ufe0f\ufffc]/gu, "");
  if (MARKS.test(mapped)) return undefined;
  return foldCase(foldCase(mapped).normalize("NFKC")).replace(/\s+/gu, " ").trim();
}

/** Full case folding: ß = ss, ſ = s, ς = σ; but the dotless ı is not i. */
function foldCase(text: string): string {
  let folded = "";
  for (const character of text) {
    folded += character === "ı" ? character : character.toUpperCase().toLowerCase();
  }
  return folded;
}
