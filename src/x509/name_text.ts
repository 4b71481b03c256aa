/** Reads distinguished names as people and programs write them: in either order, with commas, slashes or lines. */

import { escapeValue } from "./names.ts";
import { ATTRIBUTE_NAMES } from "./oids.ts";

/** Other names of attributes: OpenSSL's long ones, and those of Windows and Java. */
const SYNONYMS = {
  COMMONNAME: "CN",
  COUNTRYNAME: "C",
  E: "emailAddress",
  EMAIL: "emailAddress",
  LOCALITYNAME: "L",
  ORGANIZATIONALUNITNAME: "OU",
  ORGANIZATIONNAME: "O",
  S: "ST",
  STATEORPROVINCENAME: "ST",
} as const;
const NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ATTRIBUTE_NAMES).flatMap(([oid, name]) =>
    [[oid, name], [name.toUpperCase(), name]] as const
  ),
  ...Object.entries(SYNONYMS),
]);

/** A value ends where the next attribute begins; separators inside values are escaped. */
const ATTRIBUTE = /(^|(?<!\\)[,;/+\n])[ \t]*(?:OID\.)?([A-Za-z][A-Za-z0-9.]*|[0-9][0-9.]+)[ \t]*=/gi;

/**
 * Returns the attributes of the text of a distinguished name, with the separator before each and its name as in a
 * certificate's text (undefined for an unknown type). Empty if the text has no attributes.
 */
export function attributesOfText(
  text: string,
): { separator: string; name: string | undefined; value: string }[] {
  const found = [...text.matchAll(ATTRIBUTE)];
  return found.map((attribute, index) => {
    const [whole, separator = "", type = ""] = attribute;
    const value = text.slice(attribute.index + whole.length, found[index + 1]?.index).trim();
    return { separator, name: NAMES.get(type.toUpperCase()), value: unescapeValue(value) };
  });
}

/** Removes quotes, and escapes of characters and of UTF-8 (RFC 4514 §2.4, RFC 2253 §4). */
function unescapeValue(value: string): string {
  const quoted = /^"(.*)"$/s.exec(value)?.[1] ?? value;
  return quoted.replace(
    /((?:\\[0-9a-f]{2})+)|\\(.)/gis,
    (_, bytes: string | undefined, character: string) =>
      bytes === undefined
        ? character
        : new TextDecoder().decode(Uint8Array.fromHex(bytes.replaceAll("\\", ""))),
  );
}

/**
 * Returns the relative names of a distinguished name of two or more, in the order of the text and each as in the text of a
 * certificate's name: `["C=US", "O=Acme\, Inc."]` for `/C=US/O=Acme, Inc.`. Empty for any other text.
 */
export function relativeNames(text: string): string[] {
  const names: string[] = [];
  for (
    const { separator, name, value } of attributesOfText(
      text.replace(/^\s*(?:issuer|subject)\s*[=:](?=.*=)/i, "").trim(),
    )
  ) {
    if (name === undefined) return [];
    const one = `${name}=${escapeValue(value)}`;
    if (separator === "+" && names.length > 0) names.push(`${names.pop()}+${one}`);
    else names.push(one);
  }
  return names.length < 2 ? [] : names;
}
