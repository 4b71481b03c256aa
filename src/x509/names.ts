/**
 * Reads distinguished names (RFC 5280 §4.1.2.4): attributes, RFC 4514 text, and the key by which names are
 * compared.
 */

import {
  bytesOf,
  contentOf,
  type DerReader,
  type Element,
  limitedName,
  LimitError,
  readerOf,
  TAG,
} from "./der.ts";
import { oidOf } from "./der_values.ts";
import { addFinding } from "./findings.ts";
import { ATTRIBUTE_NAMES } from "./oids.ts";
import { decodeString, latin1, printable } from "./strings.ts";
import type { DistinguishedName, Finding, NameAttribute } from "./types.ts";

/**
 * Maximum number of consecutive combining marks in a name that is normalized, because normalization takes
 * quadratic time in their number. Unicode's own limit is 30 (UAX #15, "Stream-Safe Text Format"); no language
 * needs more than about ten.
 */
export const MAX_MARKS_IN_A_ROW = 30;

/** Maximum number of relative names and attributes together in a name; real ones have a dozen of each. */
const MAX_PARTS = 500;

/** OID of e-mail addresses in names, which name constraints apply to. */
export const EMAIL_ADDRESS = "1.2.840.113549.1.9.1";

/** Reads the next element as a Name. Unusual values are added to `findings`; a broken structure throws a DerError. */
export function readName(
  reader: DerReader,
  options: { field: string; findings: Finding[] },
): DistinguishedName {
  return parseName(reader.expect(TAG.sequence, options.field), options);
}

/** Reads a Name from its element, whatever its tag. */
export function parseName(
  element: Element,
  { field, findings }: { field: string; findings: Finding[] },
): DistinguishedName {
  limitedName(element, field);
  const rdns: NameAttribute[][] = [];
  const rdnKeys: string[] = [];
  const sequence = readerOf(element);
  let text = "";
  let parts = 0;
  const count = (): void => {
    if (++parts > MAX_PARTS) throw new LimitError(`${field} has a name of more than ${MAX_PARTS} parts`);
  };
  while (!sequence.done) {
    count();
    const set = sequence.enter(TAG.set, `${field}: relative name`);
    if (set.done) {
      addFinding(findings, {
        code: "empty_rdn",
        message: `${field} has an empty relative distinguished name`,
      });
    }
    const rdn: NameAttribute[] = [];
    const keys: string[] = [];
    while (!set.done) {
      count();
      const attribute = readAttribute({ set, rdn, field, findings });
      // RFC 4514 §2, but in the certificate's own order and with a space after each comma.
      text += rdn.length > 1 ? `+${attribute.text}` : text === "" ? attribute.text : `, ${attribute.text}`;
      keys.push(attribute.key);
    }
    // A SET has no order, and encoders do not reliably use the DER order.
    if (keys.length > 1) keys.sort();
    rdns.push(rdn);
    rdnKeys.push(keys.join("+"));
  }
  return { rdns, text, rdnKeys, key: rdnKeys.join(",") };
}

/**
 * Returns the value of an attribute by short name or OID; the most specific (last) one if there are several.
 */
export function lastValue(name: DistinguishedName, attribute: string): string | undefined {
  for (let index = name.rdns.length - 1; index >= 0; index--) {
    const found = name.rdns[index]!.find((item) => item.name === attribute || item.oid === attribute);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

/** Returns all values of an attribute by short name or OID, in order. */
export function valuesOf(name: DistinguishedName, attribute: string): string[] {
  return name.rdns.flat().filter((item) => item.name === attribute || item.oid === attribute)
    .map((item) => item.value);
}

/** Reads one AttributeTypeAndValue into `rdn`. Returns its RFC 4514 text and its comparison key. */
function readAttribute(
  { set, rdn, field, findings }: { set: DerReader; rdn: NameAttribute[]; field: string; findings: Finding[] },
): { text: string; key: string } {
  const pair = set.enter(TAG.sequence, `${field}: attribute`);
  const oid = oidOf(pair.expect(TAG.oid, `${field}: attribute type`), `${field}: attribute type`);
  const element = pair.next(`${field}: attribute value`);
  pair.finish(`${field}: attribute`);
  const name = ATTRIBUTE_NAMES[oid] ?? oid;
  const decoded = decodeString(element);
  if (decoded === undefined || decoded.warning !== undefined) {
    addFinding(findings, {
      code: "odd_name",
      message: `${field}: ${name} ${decoded?.warning ?? "is not readable text"}`,
    });
  }
  const key = nameKey(oid, { text: decoded?.text, element });
  const value = decoded === undefined ? `#${bytesOf(element).toHex()}` : printable(decoded.text);
  rdn.push(
    oid === EMAIL_ADDRESS ? { oid, name, value, content: latin1(contentOf(element)) } : { oid, name, value },
  );
  const escaped = decoded === undefined ? undefined : escapeValue(decoded.text);
  return { text: `${name}=${escaped === decoded?.text ? value : printable(escaped ?? "")}`, key };
}

const NEEDS_ESCAPE = /["+,;<>\\]|^[ #]| $/;

/** Escapes a value (RFC 4514 §2.4). */
export function escapeValue(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  const escaped = withBackslashes(value, '\\"+,;<>');
  const closed = value.length > 1 && value.endsWith(" ") ? `${escaped.slice(0, -1)}\\ ` : escaped;
  return closed.replace(/^[ #]/, "\\$&");
}

/**
 * Puts a backslash before each of these characters; a backslash must be the first of them. Not by a pattern, which takes
 * 65 bytes of memory per match: names of nothing else would make the garbage collector stop the process.
 */
function withBackslashes(text: string, characters: string): string {
  let result = text;
  for (const character of characters) {
    if (result.includes(character)) result = result.split(character).join(`\\${character}`);
  }
  return result;
}

/**
 * Runs of characters that are combining marks after normalization: the marks, and two of half-width Katakana. Only a
 * run's first mark is tried as its start.
 */
const MARK = "[\\p{M}\\uff9e\\uff9f]";
const MARKS = new RegExp(`(?<!${MARK})${MARK}{${MAX_MARKS_IN_A_ROW + 1}}`, "u");
const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;

/**
 * Returns the key by which an attribute is compared (RFC 5280 §7.1). It ignores case, the string type, and
 * leading, trailing and repeated white space (RFC 4518 string preparation), but nothing else. `text` is
 * absent for values that are not text. These are compared byte by byte, and so are texts with more than
 * {@link MAX_MARKS_IN_A_ROW} consecutive combining marks.
 */
export function nameKey(
  oid: string,
  { text, element }: { text: string | undefined; element: Element },
): string {
  const prepared = text === undefined || SIMPLE.test(text) ? text?.toLowerCase() : prepare(text);
  if (prepared === undefined) return `${oid}=#${bytesOf(element).toHex()}`;
  // `+`, `,` and `#` are escaped, so that no value can look like two attributes or like bytes.
  return `${oid}=${withBackslashes(prepared, "\\+,#")}`;
}

/**
 * Prepares a text as RFC 4518 §2 describes: map, normalize (NFKC), remove insignificant spaces. Undefined for
 * too many consecutive combining marks.
 */
function prepare(text: string): string | undefined {
  const mapped = text
    // §2.2: control characters that are white space become a space, other control and invisible characters
    // are removed.
    .replace(/[\t\n\v\f\r\u0085\p{Z}]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\u034f\u1806\ufe00-\ufe0f\ufffc]/gu, "");
  if (MARKS.test(mapped)) return undefined;
  return foldCase(foldCase(mapped).normalize("NFKC")).replace(/ {2,}/g, " ").trim();
}

/** Returns the full case folding: ß = ss, ſ = s, ς = σ; but the dotless ı is not i. */
function foldCase(text: string): string {
  return text.split("ı").map((part) => part.toUpperCase().toLowerCase().replaceAll("ς", "σ")).join("ı");
}
