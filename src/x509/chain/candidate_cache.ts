/** Ranks the possible issuers of a certificate, most likely first. The order of the pool does not matter. */

import type { CertificatePool, PoolCertificate } from "./certificate_pool.ts";

/** Ranks the possible issuers of each certificate once. */
export class CandidateCache {
  readonly #pool: CertificatePool;
  readonly #isInDate: (member: PoolCertificate) => boolean;
  readonly #ranked = new Map<number, readonly PoolCertificate[]>();

  constructor(pool: CertificatePool, isInDate: (member: PoolCertificate) => boolean) {
    this.#pool = pool;
    this.#isInDate = isInDate;
  }

  /**
   * Returns the certificates whose subject is the issuer of the path's last certificate. A path never
   * contains a certificate twice, nor the same subject and key, because the part in between would be
   * redundant.
   */
  of(path: readonly PoolCertificate[]): readonly PoolCertificate[] {
    const top = path[path.length - 1]!;
    return this.#rankedFor(top).filter((candidate) =>
      !path.some((member) => isSameEntity(member, candidate))
    );
  }

  #rankedFor(top: PoolCertificate): readonly PoolCertificate[] {
    const known = this.#ranked.get(top.id);
    if (known !== undefined) return known;
    const ranked = this.#pool.issuerCandidates(top)
      .map((candidate) => ({ candidate, rank: this.#rank(candidate, top) }))
      .sort((a, b) => a.rank - b.rank || compare(a.candidate, b.candidate))
      .map(({ candidate }) => candidate);
    this.#ranked.set(top.id, ranked);
    return ranked;
  }

  /** Ranks by key identifier, then by validity period, then by whether the candidate ends the path. */
  #rank(candidate: PoolCertificate, top: PoolCertificate): number {
    const byKey = { same: 0, unknown: 4, other: 8 }[keyIdMatch(top, candidate)];
    const byDate = this.#isInDate(candidate) ? 0 : 2;
    const byEnd = candidate.anchor !== undefined || candidate.selfIssued ? 0 : 1;
    return byKey + byDate + byEnd;
  }
}

/**
 * Returns whether the child's authority key identifier is that of a key other than the issuer's (RFC 5280
 * §4.2.1.1).
 */
export function isOtherKey(child: PoolCertificate, issuer: PoolCertificate): boolean {
  return keyIdMatch(child, issuer) === "other";
}

/** Returns whether a self-issued certificate claims to be signed by its own key. */
export function claimsSelfSigned(member: PoolCertificate): boolean {
  return member.selfIssued && !isOtherKey(member, member);
}

function isSameEntity(a: PoolCertificate, b: PoolCertificate): boolean {
  return a.id === b.id || (a.subjectId === b.subjectId && a.keyId === b.keyId);
}

function keyIdMatch(child: PoolCertificate, issuer: PoolCertificate): "same" | "other" | "unknown" {
  const authorityKeyId = child.certificate.authorityKeyId;
  const subjectKeyId = issuer.certificate.subjectKeyId;
  if (authorityKeyId === undefined || subjectKeyId === undefined) return "unknown";
  return authorityKeyId.length === subjectKeyId.length &&
      authorityKeyId.every((byte, index) => byte === subjectKeyId[index])
    ? "same"
    : "other";
}

function compare(a: PoolCertificate, b: PoolCertificate): number {
  return a.certificate.fingerprintSha256 < b.certificate.fingerprintSha256 ? -1 : 1;
}
