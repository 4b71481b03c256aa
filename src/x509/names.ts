/** Distinguished names (RFC 5280 §4.1.2.4): attributes, RFC 4514 text and the key that names are compared by. */

import { bytesOf, DerError, type DerReader, type Element, readerOf, TAG } from "./der.ts";
import { oidOf } from "./der_values.ts";
import { note } from "./findings.ts";
import { nameKey } from "./name_key.ts";
import { ATTRIBUTE_NAMES } from "./oids.ts";
import { decodeString, visible } from "./strings.ts";
import type { DistinguishedName, Finding, NameAttribute } from "./types.ts";

/** Reads the next element as a Name. Unusual values are added to `findings`; a broken structure throws a DerError. */
export function readName(
  reader: DerReader,
  options: { what: string; findings: Finding[] },
): DistinguishedName {
  return nameOf(reader.expect(TAG.sequence, options.what), options);
}

/** Reads a Name from its element, whatever its tag. */
export function nameOf(
  element: Element,
  { what, findings }: { what: string; findings: Finding[] },
): DistinguishedName {
  const rdns: NameAttribute[][] = [];
  const rdnKeys: string[] = [];
  const sequence = readerOf(element);
  let text = "";
  while (!sequence.done) {
    const set = sequence.enter(TAG.set, `${what}: relative name`);
    if (set.done) throw new DerError(`${what} has an empty relative distinguished name`);
    const rdn: NameAttribute[] = [];
    const keys: string[] = [];
    while (!set.done) {
      const attribute = readAttribute({ set, rdn, what, findings });
      // RFC 4514 §2, but in the certificate's own order and with a space after each comma.
      text += rdn.length > 1 ? `+${attribute.text}` : text === "" ? attribute.text : `, ${attribute.text}`;
      keys.push(attribute.key);
    }
    // A SET has no order, and encoders do not reliably use the DER order.
    if (keys.length > 1) keys.sort();
    rdns.push(rdn);
    rdnKeys.push(keys.join("+"));
  }
  return { rdns, text, der: bytesOf(element), rdnKeys, key: rdnKeys.join(",") };
}

/** Returns the value of an attribute by short name or OID; the most specific (last) one when there are several. */
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

/** Reads one AttributeTypeAndValue into `rdn`; gives its RFC 4514 text and its comparison key. */
function readAttribute(
  { set, rdn, what, findings }: { set: DerReader; rdn: NameAttribute[]; what: string; findings: Finding[] },
): { text: string; key: string } {
  const pair = set.enter(TAG.sequence, `${what}: attribute`);
  const oid = oidOf(pair.expect(TAG.oid, `${what}: attribute type`), `${what}: attribute type`);
  const element = pair.next(`${what}: attribute value`);
  pair.finish(`${what}: attribute`);
  const name = ATTRIBUTE_NAMES[oid] ?? oid;
  const der = bytesOf(element);
  const decoded = decodeString(element);
  if (decoded === undefined || decoded.warning !== undefined) {
    note(findings, {
      code: "odd_name",
      message: `${what}: ${name} ${decoded?.warning ?? "is not readable text"}`,
    });
  }
  const key = nameKey(oid, { text: decoded?.text, der });
  const value = decoded === undefined ? `#${der.toHex()}` : visible(decoded.text);
  rdn.push({ oid, name, value, der });
  return { text: `${name}=${decoded === undefined ? value : visible(escapeValue(decoded.text))}`, key };
}

const NEEDS_ESCAPE = /["+,;<>\\]|^[ #]| $/;

/** RFC 4514 §2.4. */
function escapeValue(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  const escaped = value.replace(/["+,;<>\\]/g, "\\$&");
  const closed = value.length > 1 && value.endsWith(" ") ? `${escaped.slice(0, -1)}\\ ` : escaped;
  return closed.replace(/^[ #]/, "\\$&");
}
