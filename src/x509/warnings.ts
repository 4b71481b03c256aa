/** Warnings about a single certificate. Its chain and its validity period are checked elsewhere. */

import type { Certificate } from "./types.ts";

/** Code and sentence. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** CA/B BR 6.1.5: the minimum modulus. */
const MIN_RSA_BITS = 2048;
/** CA/B BR 6.1.5: the smallest curve is P-256. */
const MIN_EC_BITS = 256;
/** Collisions exist for all of them (RFC 6151, RFC 6194). */
const WEAK_SIGNATURE = /md[25]|sha-?1(?!\d)/i;

/** Returns the findings of the reader, and warnings about weak algorithms and keys. */
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
