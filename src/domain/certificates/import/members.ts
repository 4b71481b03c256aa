/** Finds the chain of each certificate within one text. */

import { MAX_BUNDLE_CHAIN } from "../../../base/limits.ts";
import { type Certificate, encodePem } from "../../../x509/mod.ts";

/** A certificate with two fields of a create request: its PEM, and the PEM of the issuers found in the same text. */
export interface Member {
  readonly certificate: Certificate;
  readonly fields: { readonly pem_content: string; readonly issuer_chain: string };
}

/** Certificates by subject name. */
export type Pool = ReadonlyMap<string, readonly Certificate[]>;

/**
 * Returns the certificates above `leaf` in `pool`, matched by issuer and subject name, nearest first, including
 * cross-signed ones.
 * @param max largest number of certificates.
 */
export function issuersOf(leaf: Certificate, pool: Pool, max: number): Certificate[] {
  const found = new Map<string, Certificate>();
  const open: Certificate[] = [leaf];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const issuer of pool.get(next.issuer.key) ?? []) {
      const { fingerprintSha256 } = issuer;
      if (fingerprintSha256 === leaf.fingerprintSha256 || found.has(fingerprintSha256)) continue;
      if (found.size === max) return [...found.values()];
      found.set(fingerprintSha256, issuer);
      open.push(issuer);
    }
  }
  return [...found.values()];
}

/** Groups certificates by subject name. */
export function bySubject(certificates: readonly Certificate[]): Pool {
  return Map.groupBy(certificates, (certificate) => certificate.subject.key);
}

export function memberOf(certificate: Certificate, issuers: readonly Certificate[]): Member {
  return {
    certificate,
    fields: {
      pem_content: encodePem(certificate.der),
      issuer_chain: issuers.map((issuer) => encodePem(issuer.der)).join(""),
    },
  };
}

/** Returns each certificate of a bundle with its chain from the bundle; in slices. */
export function* membersOf(certificates: readonly Certificate[]): Generator<void, Member[]> {
  const pool = bySubject(certificates);
  const members: Member[] = [];
  for (const certificate of certificates) {
    yield;
    members.push(memberOf(certificate, issuersOf(certificate, pool, MAX_BUNDLE_CHAIN)));
  }
  return members;
}
