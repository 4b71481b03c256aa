/** Who may have issued a certificate, the likeliest first; the order does not depend on that of the pool. */

import type { CertificatePool, Member } from "./certificate_pool.ts";

/** Ranks the candidates of each certificate once. */
export class CandidateCache {
  readonly #pool: CertificatePool;
  readonly #isInDate: (member: Member) => boolean;
  readonly #ranked = new Map<number, readonly Member[]>();

  constructor(pool: CertificatePool, isInDate: (member: Member) => boolean) {
    this.#pool = pool;
    this.#isInDate = isInDate;
  }

  /**
   * The members whose subject is the issuer of the path's top. No certificate stands on a path twice, and no name with
   * the same key either: such a path would be the same without the part in between.
   */
  of(path: readonly Member[]): readonly Member[] {
    const top = path[path.length - 1]!;
    return this.#rankedFor(top).filter((candidate) =>
      !path.some((member) => isSameEntity(member, candidate))
    );
  }

  #rankedFor(top: Member): readonly Member[] {
    const known = this.#ranked.get(top.id);
    if (known !== undefined) return known;
    const ranked = this.#pool.issuerCandidates(top)
      .map((candidate) => ({ candidate, rank: this.#rank(candidate, top) }))
      .sort((a, b) => a.rank - b.rank || compare(a.candidate, b.candidate))
      .map(({ candidate }) => candidate);
    this.#ranked.set(top.id, ranked);
    return ranked;
  }

  /** Key identifiers first, then being in date, then being an end of the path. */
  #rank(candidate: Member, top: Member): number {
    const byKey = { same: 0, unknown: 4, other: 8 }[keyIdMatch(top, candidate)];
    const byDate = this.#isInDate(candidate) ? 0 : 2;
    const byEnd = candidate.anchor !== undefined || candidate.selfIssued ? 0 : 1;
    return byKey + byDate + byEnd;
  }
}

/** Whether the issuer's key identifier is known not to be the one that the child names (RFC 5280 §4.2.1.1). */
export function isOtherKey(child: Member, issuer: Member): boolean {
  return keyIdMatch(child, issuer) === "other";
}

/** Whether a self-issued certificate presents itself as signed by its own key. */
export function claimsSelfSigned(member: Member): boolean {
  return member.selfIssued && !isOtherKey(member, member);
}

function isSameEntity(a: Member, b: Member): boolean {
  return a.id === b.id || (a.subjectId === b.subjectId && a.keyId === b.keyId);
}

function keyIdMatch(child: Member, issuer: Member): "same" | "other" | "unknown" {
  const wanted = child.certificate.authorityKeyId;
  const given = issuer.certificate.subjectKeyId;
  if (wanted === undefined || given === undefined) return "unknown";
  return wanted.length === given.length && wanted.every((byte, index) => byte === given[index])
    ? "same"
    : "other";
}

function compare(a: Member, b: Member): number {
  return a.certificate.fingerprintSha256 < b.certificate.fingerprintSha256 ? -1 : 1;
}
