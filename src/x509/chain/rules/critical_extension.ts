import type { CertificateRule } from "./types.ts";

/**
 * Extensions that may be critical: those that are processed here, and those of RFC 5280 that are deliberately
 * not evaluated (extended key usage, revocation), as documented. authorityInfoAccess, subjectInfoAccess and
 * freshestCRL are missing because they must not be critical (§4.2.2.1, §4.2.2.2, §4.2.1.15).
 */
const PROCESSED: ReadonlySet<string> = new Set([
  "2.5.29.14", // subjectKeyIdentifier
  "2.5.29.15", // keyUsage
  "2.5.29.17", // subjectAltName
  "2.5.29.18", // issuerAltName
  "2.5.29.19", // basicConstraints
  "2.5.29.30", // nameConstraints
  "2.5.29.31", // cRLDistributionPoints
  "2.5.29.32", // certificatePolicies
  "2.5.29.33", // policyMappings
  "2.5.29.35", // authorityKeyIdentifier
  "2.5.29.36", // policyConstraints
  "2.5.29.37", // extKeyUsage
  "2.5.29.54", // inhibitAnyPolicy
]);

/** A critical extension that is not processed makes the certificate invalid. */
export const criticalExtension: CertificateRule = {
  code: "critical_extension",
  citation: "RFC 5280 §4.2",
  check: ({ extensions }) =>
    extensions.filter(({ critical, oid }) => critical && !PROCESSED.has(oid))
      .map(({ name }) => `has the critical extension ${name}, which is not processed here`),
};
