/** Detects the ACME provider that issued a certificate. */

import { recent } from "../base/recent.ts";
import { valuesOf } from "./names.ts";
import type { Certificate, DistinguishedName } from "./types.ts";

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

/** Patterns that one O or CN of the issuer must match. */
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
  return typeof issuer === "string"
    ? providerOfText(issuer)
    : providerOf([...valuesOf(issuer, "O"), ...valuesOf(issuer, "CN")]);
}

/** A few issuers issue most certificates. */
const providerOfText = recent((issuer) => providerOf(namesOfText(issuer, [...ORGANIZATION, ...COMMON_NAME])));

function providerOf(names: readonly string[]): AcmeProvider | null {
  return ACME_PROVIDERS.find((provider) => names.some((name) => PATTERNS[provider].test(name))) ?? null;
}

/** Providers that issue most certificates without ACME. */
const ALSO_WITHOUT_ACME: ReadonlySet<AcmeProvider> = new Set(["buypass", "sectigo", "digicert"]);

/** Certificate policies of the CA/Browser Forum (Baseline Requirements 7.1.6.1). */
const DOMAIN_VALIDATED = "2.23.140.1.2.1";
const OTHERWISE_VALIDATED: ReadonlySet<string> = new Set([
  "2.23.140.1.1",
  "2.23.140.1.2.2",
  "2.23.140.1.2.3",
]);

/** Input of the ACME detection. */
export interface AcmeSubject {
  /** Text of the issuer's name. */
  readonly issuer: string;
  /** Common name of the subject. */
  readonly commonName: string;
  /** Reads the certificate itself; undefined where only its metadata is known. Called only where the issuer matches. */
  readonly certificate: () => Certificate | undefined;
}

/**
 * Returns the ACME provider that issued a certificate, or null. The issuer's name must match a provider, and the
 * certificate must not contradict: ACME issues neither certificates of authorities nor self-signed ones, only
 * certificates for TLS servers; and certificates of a provider that also issues without ACME do not count if they state
 * that an organization or a person was validated. Where only metadata is known, the issuer's name decides, unless it is
 * the certificate's own name.
 */
export function detectAcmeIssuance(subject: AcmeSubject): AcmeProvider | null {
  const provider = detectAcmeProvider(subject.issuer);
  if (provider === null) return null;
  const certificate = subject.certificate();
  if (certificate === undefined) return isOwnName(subject) ? null : provider;
  return isServerLeaf(certificate) && isIssuedAs(certificate, provider) ? provider : null;
}

function isServerLeaf(
  { basicConstraints, keyUsage, extendedKeyUsage, subject, issuer }: Certificate,
): boolean {
  const isAuthority = basicConstraints?.ca === true || keyUsage?.includes("keyCertSign") === true;
  const servesTls = extendedKeyUsage === undefined ||
    extendedKeyUsage.some((usage) => usage === "serverAuth" || usage === "anyExtendedKeyUsage");
  return !isAuthority && servesTls && subject.text !== issuer.text;
}

/** Returns whether the validation that a certificate states is one of the provider's ACME certificates. */
function isIssuedAs({ certificatePolicies = [] }: Certificate, provider: AcmeProvider): boolean {
  if (!ALSO_WITHOUT_ACME.has(provider)) return true;
  const policies = certificatePolicies.map(({ oid }) => oid);
  return policies.includes(DOMAIN_VALIDATED) || !policies.some((oid) => OTHERWISE_VALIDATED.has(oid));
}

/** Returns whether the issuer's common name is the certificate's: a root known by its metadata. */
function isOwnName({ commonName, issuer }: AcmeSubject): boolean {
  const own = commonName.trim().toLowerCase();
  return namesOfText(issuer, COMMON_NAME).some((name) => name.trim().toLowerCase() === own);
}

const COMMON_NAME: readonly string[] = ["CN", "COMMONNAME", "2.5.4.3"];
const ORGANIZATION: readonly string[] = ["O", "ORGANIZATIONNAME", "2.5.4.10"];

/** Values of `types` in a distinguished name's text; the whole text when it has no attributes. */
function namesOfText(text: string, types: readonly string[]): string[] {
  // A value ends where the next attribute begins; separators inside values are escaped.
  const attributes = [
    ...text.matchAll(/(?:^|(?<!\\)[,;/+\n])[ \t]*([A-Za-z][A-Za-z0-9.]*|[0-9][0-9.]+)[ \t]*=/g),
  ];
  if (attributes.length === 0) return [text];
  return attributes.flatMap((attribute, index) => {
    const type = attribute[1]!.toUpperCase();
    if (!types.includes(type)) return [];
    const start = attribute.index + attribute[0].length;
    return [text.slice(start, attributes[index + 1]?.index ?? text.length)];
  });
}
