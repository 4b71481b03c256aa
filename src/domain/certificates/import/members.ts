/** Which certificates of a text belong together: the chain that the text itself can build for each. */

import { MAX_BUNDLE_CHAIN } from "../../../base/limits.ts";
import { type Certificate, encodePem } from "../../../x509/mod.ts";

/** A certificate, with the fields of a create request: itself as PEM, and the PEM of those above it in the same text. */
export interface Member {
  readonly certificate: Certificate;
  readonly fields: { readonly pem_content: string; readonly issuer_chain: string };
}

/** Certificates by subject name. */
export type Pool = ReadonlyMap<string, readonly Certificate[]>;

/**
 * The certificates above `leaf` in `pool`, by issuer and subject name, nearest first; cross-signs included.
 * @param max certificates at the most.
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

/** Certificates by subject name. */
export function bySubject(certificates: readonly Certificate[]): Pool {
  return Map.groupBy(certificates, (certificate) => certificate.subject.key);
}

/** A certificate with those above it. */
export function memberOf(certificate: Certificate, issuers: readonly Certificate[]): Member {
  return {
    certificate,
    fields: {
      pem_content: encodePem(certificate.der),
      issuer_chain: issuers.map((issuer) => encodePem(issuer.der)).join(""),
    },
  };
}

/** Gives every certificate of a bundle with the chain that the bundle has for it; in slices. */
export function* membersOf(certificates: readonly Certificate[]): Generator<void, Member[]> {
  const pool = bySubject(certificates);
  const members: Member[] = [];
  for (const certificate of certificates) {
    yield;
    members.push(memberOf(certificate, issuersOf(certificate, pool, MAX_BUNDLE_CHAIN)));
  }
  return members;
}
