/**
 * The comparison of names by RFC 5280 §7.1, as a key: case, inner and outer white space and the string type do not
 * matter (RFC 4518 string preparation); everything else does.
 */

const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;

/** The key of one attribute. `text` is absent for values that are no text: those are compared byte by byte. */
export function nameKey(
  oid: string,
  { text, der }: { text: string | undefined; der: Uint8Array },
): string {
  if (text === undefined) return `${oid}=#${der.toHex()}`;
  const prepared = SIMPLE.test(text) ? text.toLowerCase() : prepare(text);
  // Marks are escaped, so that no value can look like two attributes or like bytes.
  return `${oid}=${prepared.replace(/[\\+,#]/g, "\\$&")}`;
}

/** RFC 4518 §2: map, normalise (NFKC), drop insignificant space. */
function prepare(text: string): string {
  const mapped = text
    // §2.2: controls that are white space become a space, other controls and invisible characters vanish.
    .replace(/[\t\n\v\f\r\u0085\p{Z}]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\u034f\u1806\ufe00-\ufe0f\ufffc]/gu, "");
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
