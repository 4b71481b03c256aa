/** Which ACME provider an issuer's name tells of. */

import { valuesOf } from "./names.ts";
import type { DistinguishedName } from "./types.ts";

/** The providers that are recognised. */
export type AcmeProvider = typeof ACME_PATTERNS[number]["provider"];

/** In this order; the first pattern that any O or CN of the issuer matches decides. */
const ACME_PATTERNS = [
  { provider: "letsencrypt_staging", pattern: /\(staging\)|\bfake le\b/i },
  { provider: "letsencrypt", pattern: /\blet['’`]?s\s*encrypt\b/i },
  { provider: "zerossl", pattern: /\bzerossl\b/i },
  { provider: "buypass", pattern: /\bbuypass\b/i },
  { provider: "google", pattern: /\bgoogle trust services\b|\bgts ca\b/i },
  { provider: "sectigo", pattern: /\bsectigo\b/i },
  { provider: "digicert", pattern: /\bdigicert\b/i },
] as const;

/** Every provider value, in the order of the test. */
export const ACME_PROVIDERS: readonly AcmeProvider[] = ACME_PATTERNS.map(({ provider }) => provider);

/**
 * The provider, or null. Text is read as a distinguished name in any usual form (`C=US, O=x`, `CN = x,O = y`,
 * `/C=US/O=x`); text without attributes is taken as one name.
 */
export function detectAcmeProvider(issuer: string | DistinguishedName): AcmeProvider | null {
  const names = typeof issuer === "string"
    ? namesOfText(issuer)
    : [...valuesOf(issuer, "O"), ...valuesOf(issuer, "CN")];
  for (const { provider, pattern } of ACME_PATTERNS) {
    if (names.some((name) => pattern.test(name))) return provider;
  }
  return null;
}

/** Values of O and CN in a distinguished name's text; the whole text when it has no attributes. */
function namesOfText(text: string): string[] {
  // A value ends where the next attribute begins; separators inside values are escaped.
  const attributes = [
    ...text.matchAll(/(?:^|(?<!\\)[,;/+\n])[ \t]*([A-Za-z][A-Za-z0-9.]*|[0-9][0-9.]+)[ \t]*=/g),
  ];
  if (attributes.length === 0) return [text];
  return attributes.flatMap((attribute, index) => {
    const type = attribute[1]!.toUpperCase();
    if (!["O", "CN", "ORGANIZATIONNAME", "COMMONNAME", "2.5.4.10", "2.5.4.3"].includes(type)) return [];
    const start = attribute.index + attribute[0].length;
    return [text.slice(start, attributes[index + 1]?.index ?? text.length)];
  });
}
