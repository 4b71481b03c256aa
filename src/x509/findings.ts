/**
 * Findings and warnings about a single certificate: their codes, and the sections of the standards that they
 * come from. Its chain and its validity period are checked elsewhere.
 */

import type { Certificate, Finding } from "./types.ts";

/** Codes of the findings of a readable certificate, each with the section that the certificate violates. */
const FINDING_SECTIONS = {
  duplicate_extension: "RFC 5280 §4.2",
  empty_extensions: "RFC 5280 §4.1.2.9",
  empty_key_usage: "RFC 5280 §4.2.1.3",
  empty_rdn: "RFC 5280 §4.1.2.4",
  long_serial: "RFC 5280 §4.1.2.2",
  malformed_algorithm: "RFC 4055 §3.1",
  malformed_extension: "RFC 5280 §4.2",
  malformed_key: "RFC 5280 §4.1.2.7",
  negative_serial: "RFC 5280 §4.1.2.2",
  not_der: "RFC 5280 §4.1",
  odd_name: "RFC 5280 §4.1.2.4",
  signature_bits: "RFC 5280 §4.1.1.3",
  time_encoding: "RFC 5280 §4.1.2.5",
  time_form: "RFC 5280 §4.1.2.5",
  unique_id_bits: "RFC 5280 §4.1.2.8",
  validity_inverted: "RFC 5280 §4.1.2.5",
  version_mismatch: "RFC 5280 §4.1.2.1",
  year_zero: "RFC 5280 §4.1.2.5.2",
  zero_serial: "RFC 5280 §4.1.2.2",
} as const;

/** A code of {@link FINDING_SECTIONS}. */
export type FindingCode = keyof typeof FINDING_SECTIONS;

/** Every {@link FindingCode}. */
export const FINDING_CODES = Object.keys(FINDING_SECTIONS) as readonly FindingCode[];

/** Returns the section that a finding of a certificate comes from. */
export function sectionOf(code: string): string {
  const sections: Readonly<Record<string, string>> = FINDING_SECTIONS;
  return sections[code] ?? "RFC 5280 §4.1";
}

/**
 * Maximum number of findings of a certificate or request. Crafted inputs could otherwise produce thousands.
 */
const MAX_FINDINGS = 100;

/** Adds a finding unless an identical one exists. */
export function addFinding(findings: Finding[], finding: Finding): void {
  if (findings.length >= MAX_FINDINGS || findings.some(({ message }) => message === finding.message)) return;
  findings.push(finding);
}

/** A code and a sentence. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** CA/B BR 6.1.5: the minimum modulus. */
const MIN_RSA_BITS = 2048;
/** CA/B BR 6.1.5: the smallest curve is P-256. */
const MIN_EC_BITS = 256;
/** Hashes for which collisions are known (RFC 6151, RFC 6194). */
const WEAK_SIGNATURE = /md[25]|sha-?1(?!\d)/i;

/** Returns the reader's findings, and warnings about weak algorithms and keys. */
export function warningsOf(certificate: Certificate): Warning[] {
  const { findings, signatureAlgorithm, tbsSignatureAlgorithm, publicKey, subject, issuer } = certificate;
  const warnings = findings.map(({ code, message }) => ({ code, message }));
  function warn(code: string, message: string): void {
    warnings.push({ code, message });
  }
  // The signature of a self-signed certificate protects nothing.
  if (WEAK_SIGNATURE.test(signatureAlgorithm.name) && subject.key !== issuer.key) {
    warn("weak_signature", `Signed with ${signatureAlgorithm.name}, which uses a broken hash`);
  }
  if (signatureAlgorithm.oid !== tbsSignatureAlgorithm.oid) {
    warn("algorithm_mismatch", "The inner and the outer signature algorithm differ");
  }
  const least = publicKey.algorithm === "rsa"
    ? MIN_RSA_BITS
    : publicKey.algorithm === "ecdsa"
    ? MIN_EC_BITS
    : 0;
  if (publicKey.sizeBits !== undefined && publicKey.sizeBits < least) {
    warn("short_key", `The key has ${publicKey.sizeBits} bits. The minimum is ${least}`);
  }
  return warnings;
}

/** Codes of the failures of a path in chain validation. */
export const FAILURE_CODES = [
  "not_a_ca",
  "path_length",
  "key_usage",
  "name_constraints",
  "policy_violation",
  "critical_extension",
  "duplicate_extension",
  "malformed_extension",
  "malformed_certificate",
  "algorithm_mismatch",
  "unsupported_algorithm",
  "bad_signature",
  "expired",
  "not_yet_valid",
  "distrusted",
  "distrusted_after",
  "issuer_missing",
  "limit",
] as const;

export type FailureCode = typeof FAILURE_CODES[number];
