/** Detects the ACME provider that issued a certificate. */

import { cacheRecent } from "../base/memoize.ts";
import { attributesOfText } from "./name_text.ts";
import { valuesOf } from "./names.ts";
import type { Certificate, DistinguishedName } from "./types.ts";

/** The providers that are recognized, in the order in which they are tested. */
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

/** One O or CN of the issuer must match the provider's pattern. */
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
 * Returns the provider that the issuer's name belongs to, or null. Text is read as a distinguished name in
 * any usual form (`C=US, O=x`, `CN = x,O = y`, `/C=US/O=x`). Text without attributes is read as one name.
 */
export function detectAcmeProvider(issuer: string | DistinguishedName): AcmeProvider | null {
  return typeof issuer === "string"
    ? providerOfText(issuer)
    : providerOf([...valuesOf(issuer, "O"), ...valuesOf(issuer, "CN")]);
}

/** Cached, because a few issuers issue most certificates. */
const providerOfText = cacheRecent((issuer) => providerOf(namesOfText(issuer, ["O", "CN"])));

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

/** What is known about a certificate whose provider is to be detected. */
export interface AcmeSubject {
  /** Text of the issuer's name. */
  readonly issuer: string;
  /** Common name of the subject. */
  readonly commonName: string;
  /**
   * Reads the certificate; undefined when only its metadata is known. Called only if the issuer's name
   * matches.
   */
  readonly certificate: () => Certificate | undefined;
}

/**
 * Returns the ACME provider that issued a certificate, or null. The issuer's name must belong to a provider,
 * and the certificate must not contradict it: ACME issues neither CA certificates nor self-signed ones, and
 * only certificates for TLS servers. If a provider also issues certificates without ACME, those that name a
 * validated organization or person are excluded. When only metadata is known, the issuer's name decides,
 * unless it is also the certificate's own name.
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

/** Returns whether the certificate's policies are those of the provider's ACME certificates. */
function isIssuedAs({ certificatePolicies = [] }: Certificate, provider: AcmeProvider): boolean {
  if (!ALSO_WITHOUT_ACME.has(provider)) return true;
  const policies = certificatePolicies.map(({ oid }) => oid);
  return policies.includes(DOMAIN_VALIDATED) || !policies.some((oid) => OTHERWISE_VALIDATED.has(oid));
}

/**
 * Returns whether the issuer's common name is also the certificate's own, as in a root of which only metadata
 * is known.
 */
function isOwnName({ commonName, issuer }: AcmeSubject): boolean {
  const own = commonName.trim().toLowerCase();
  return namesOfText(issuer, ["CN"]).some((name) => name.trim().toLowerCase() === own);
}

/** Returns the values of attributes in the text of a distinguished name, or the whole text if it has no attributes. */
function namesOfText(text: string, names: readonly string[]): string[] {
  const attributes = attributesOfText(text);
  return attributes.length === 0
    ? [text]
    : attributes.filter(({ name }) => name !== undefined && names.includes(name)).map(({ value }) => value);
}
