/** Which ACME provider an issuer's name tells of. */

import { valuesOf } from "./names.ts";
import type { DistinguishedName } from "./types.ts";

/** The providers that are recognised, in the order of the test. */
export const ACME_PROVIDERS = [
  "letsencrypt_staging",
  "letsencrypt",
  "zerossl",
  "buypass",
  "google",
  "sectigo",
  "digicert",
] as const;
/** One of {@link ACME_PROVIDERS}. */
export type AcmeProvider = typeof ACME_PROVIDERS[number];

/** What one O or CN of the issuer must match. */
const PATTERNS: Readonly<Record<AcmeProvider, RegExp>> = {
  letsencrypt_staging: /\(staging\)|\bfake le\b/i,
  letsencrypt: /\blet['’`]?s\s*encrypt\b/i,
  zerossl: /\bzerossl\b/i,
  buypass: /\bbuypass\b/i,
  google: /\bgoogle trust services\b|\bgts ca\b/i,
  sectigo: /\bsectigo\b/i,
  digicert: /\bdigicert\b/i,
};

/**
 * The provider, or null. Text is read as a distinguished name in any usual form (`C=US, O=x`, `CN = x,O = y`,
 * `/C=US/O=x`); text without attributes is taken as one name.
 */
export function detectAcmeProvider(issuer: string | DistinguishedName): AcmeProvider | null {
  const names = typeof issuer === "string"
    ? namesOfText(issuer)
    : [...valuesOf(issuer, "O"), ...valuesOf(issuer, "CN")];
  return ACME_PROVIDERS.find((provider) => names.some((name) => PATTERNS[provider].test(name))) ?? null;
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
