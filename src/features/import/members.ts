/** Which certificates of a text belong together: the chain that the text itself can build for each. */

import { type Certificate, encodePem } from "../../x509/mod.ts";

/** A certificate with the PEM of those that the same text has above it. */
export interface Member {
  readonly certificate: Certificate;
  readonly pem: string;
  readonly chain: string;
}

/** Every certificate above `leaf` in `pool`, by issuer and subject name, nearest first; cross-signs included. */
export function issuersOf(
  leaf: Certificate,
  pool: ReadonlyMap<string, readonly Certificate[]>,
): Certificate[] {
  const found = new Map<string, Certificate>();
  const open: Certificate[] = [leaf];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const issuer of pool.get(next.issuer.key) ?? []) {
      if (issuer.fingerprintSha256 === leaf.fingerprintSha256 || found.has(issuer.fingerprintSha256)) {
        continue;
      }
      found.set(issuer.fingerprintSha256, issuer);
      open.push(issuer);
    }
  }
  return [...found.values()];
}

/** Certificates by subject name. */
export function bySubject(certificates: readonly Certificate[]): Map<string, Certificate[]> {
  return Map.groupBy(certificates, (certificate) => certificate.subject.key);
}

/** The certificate with the chain that `pool` has for it. */
export function memberOf(
  certificate: Certificate,
  pool: ReadonlyMap<string, readonly Certificate[]>,
): Member {
  return {
    certificate,
    pem: encodePem(certificate.der),
    chain: issuersOf(certificate, pool).map((issuer) => encodePem(issuer.der)).join(""),
  };
}
