/** Distinguished names and general names for tests. */

import {
  ascii,
  concat,
  explicit,
  ia5,
  implicit,
  oid,
  printable,
  sequence,
  set,
  tlv,
  utf8,
} from "./der_writer.ts";

/** One attribute: short name or OID, and its text, or the DER of its value. */
export type AttributeInput = readonly [type: string, value: string | Uint8Array];

/**
 * `"leaf.example"` is a CN; `"C=US, O=Acme, CN=x"` is split at commas before a `type=`; a list gives each attribute
 * (a nested list is one relative name of several attributes, which are put into the order of DER); bytes are the DER of the whole Name; `""` is the empty name.
 */
export type NameInput = string | readonly (AttributeInput | readonly AttributeInput[])[] | Uint8Array;

const TYPES: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  SN: "2.5.4.4",
  serialNumber: "2.5.4.5",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  DC: "0.9.2342.19200300.100.1.25",
  UID: "0.9.2342.19200300.100.1.1",
  emailAddress: "1.2.840.113549.1.9.1",
};

/** Returns the DER of a Name. */
export function name(input: NameInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  const rdns = typeof input === "string" ? parseName(input) : input;
  return sequence(...rdns.map((rdn) => setOf((isAttribute(rdn) ? [rdn] : rdn).map(attribute))));
}

/** Returns a SET OF; DER requires its elements in the order of their bytes (X.690 §11.6). */
function setOf(elements: readonly Uint8Array[]): Uint8Array {
  const ordered = elements.map((element) => ({ element, hex: element.toHex() }));
  return set(...ordered.sort((a, b) => a.hex < b.hex ? -1 : 1).map(({ element }) => element));
}

function isAttribute(rdn: AttributeInput | readonly AttributeInput[]): rdn is AttributeInput {
  return typeof rdn[0] === "string";
}

function parseName(text: string): AttributeInput[] {
  if (text === "") return [];
  if (!text.includes("=")) return [["CN", text]];
  return text.split(/,\s*(?=[A-Za-z0-9.]+=)/).map((part) => {
    const at = part.indexOf("=");
    return [part.slice(0, at), part.slice(at + 1)];
  });
}

function attribute([type, value]: AttributeInput): Uint8Array {
  return sequence(
    oid(TYPES[type] ?? type),
    value instanceof Uint8Array ? value : attributeValue(type, value),
  );
}

function attributeValue(type: string, value: string): Uint8Array {
  if (type === "C" || type === "serialNumber") return printable(value);
  return type === "DC" || type === "emailAddress" ? ia5(value) : utf8(value);
}

/**
 * A GeneralName: `"example.com"` is a DNS name; the prefixes `DNS: IP: email: URI: dirName: RID:` select other types;
 * `IP:10.0.0.0/8` has a mask; bytes are the DER of the whole GeneralName.
 */
export type GeneralNameInput = string | Uint8Array;

/** Returns the DER of a GeneralName. */
export function generalName(input: GeneralNameInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  const [, kind = "DNS", value = ""] = /^(?:(DNS|IP|email|URI|dirName|RID):)?([\s\S]*)$/.exec(input) ?? [];
  switch (kind) {
    case "IP":
      return implicit(7, ipBytes(value));
    case "email":
      return implicit(1, ascii(value));
    case "URI":
      return implicit(6, ascii(value));
    case "dirName":
      return explicit(4, name(value));
    case "RID":
      return implicit(8, oid(value).subarray(2));
    default:
      return implicit(2, new TextEncoder().encode(value));
  }
}

/** Returns an otherName with a UTF8String value, for example a user principal name. */
export function otherName(type: string, text: string): Uint8Array {
  return tlv(0xa0, oid(type), explicit(0, utf8(text)));
}

/** Returns the bytes of an address, followed by those of the mask if there is a `/prefix`. */
export function ipBytes(text: string): Uint8Array {
  const [address = "", prefix] = text.split("/");
  const bytes = address.includes(":") ? ipv6Bytes(address) : Uint8Array.from(address.split("."), Number);
  if (prefix === undefined) return bytes;
  const mask = bytes.map((_byte, index) => {
    const ones = Math.min(8, Math.max(0, Number(prefix) - index * 8));
    return (0xff << (8 - ones)) & 0xff;
  });
  return concat(bytes, mask);
}

function ipv6Bytes(text: string): Uint8Array {
  const [head = "", tail] = text.split("::");
  const front = head.split(":").filter((group) => group !== "");
  const back = (tail ?? "").split(":").filter((group) => group !== "");
  const gap = tail === undefined ? [] : Array(8 - front.length - back.length).fill("0");
  const groups = [...front, ...gap, ...back].map((group) => parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
