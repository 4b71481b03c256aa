/**
 * All certificates that may be on a path, and the possible issuers of each, most likely first. Names and keys are
 * numbered, so that comparing them is cheap.
 */

import type { Certificate } from "../types.ts";
import type { AnchorIndex } from "./anchors.ts";
import type { AnchorKind } from "./types.ts";

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

/** One certificate that may be on a path. */
export interface PoolCertificate {
  /** Its number in the pool. */
  readonly id: number;
  readonly certificate: Certificate;
  /** Set if it is a trust anchor of the caller. */
  readonly anchor?: AnchorKind;
  /**
   * Equal numbers mean equal names (RFC 5280 §7.1) or equal keys. 0 is the empty name, which issues nothing.
   */
  readonly subjectId: number;
  readonly issuerId: number;
  readonly keyId: number;
  /** Whether it is self-issued: subject and issuer are the same name (RFC 5280 §3.2). */
  readonly selfIssued: boolean;
}

/** The certificates of one validation. Anchors and known issuers are added when a path reaches their name. */
export class CertificatePool {
  /** Never a possible issuer, because no certificate is on a path twice. */
  readonly leaf: PoolCertificate;
  /** What came with the leaf, whether or not the caller trusts it. */
  readonly bundle: readonly PoolCertificate[];
  readonly #anchors: AnchorIndex;
  readonly #names = new Map<string, number>([["", 0]]);
  readonly #keys = new Map<string, number>();
  readonly #bySubject = new Map<number, PoolCertificate[]>();
  readonly #known = new Set<string>();
  readonly #anchorsJoined = new Set<string>();

  constructor({ leaf, pool, anchors }: {
    leaf: Certificate;
    pool: Iterable<Certificate>;
    anchors: AnchorIndex;
  }) {
    this.#anchors = anchors;
    this.#known.add(leaf.fingerprintSha256);
    this.leaf = this.#memberOf(leaf);
    for (const certificate of pool) this.#admit(certificate);
    this.bundle = [...this.#bySubject.values()].flat();
  }

  /**
   * Returns all certificates except the leaf whose subject is the issuer of `member`. This may include
   * `member`.
   */
  issuerCandidates(member: PoolCertificate): readonly PoolCertificate[] {
    if (member.issuerId === 0) return [];
    const { key } = member.certificate.issuer;
    if (!this.#anchorsJoined.has(key)) {
      this.#anchorsJoined.add(key);
      for (const { certificate } of this.#anchors.bySubject.get(key) ?? []) this.#admit(certificate);
    }
    return this.#bySubject.get(member.issuerId) ?? [];
  }

  /** Returns the kind of anchor that a certificate is; undefined if it is not an anchor. */
  anchorKind(certificate: Certificate): AnchorKind | undefined {
    return this.#anchors.byFingerprint.get(certificate.fingerprintSha256);
  }

  /** Returns whether a certificate is one of the public roots. */
  isPublicRoot(certificate: Certificate): boolean {
    return this.#anchors.publicRoots.has(certificate.fingerprintSha256);
  }

  /** Adds a certificate unless the pool contains it. */
  #admit(certificate: Certificate): void {
    if (this.#known.has(certificate.fingerprintSha256)) return;
    this.#known.add(certificate.fingerprintSha256);
    const member = this.#memberOf(certificate);
    const same = this.#bySubject.get(member.subjectId);
    if (same === undefined) this.#bySubject.set(member.subjectId, [member]);
    else same.push(member);
  }

  #memberOf(certificate: Certificate): PoolCertificate {
    const anchor = this.anchorKind(certificate);
    const subjectId = number(this.#names, certificate.subject.key);
    const issuerId = number(this.#names, certificate.issuer.key);
    return {
      id: this.#known.size,
      certificate,
      ...(anchor === undefined ? {} : { anchor }),
      subjectId,
      issuerId,
      keyId: number(this.#keys, certificate.publicKey.spki.toHex()),
      selfIssued: subjectId === issuerId,
    };
  }
}

/** Returns the number of a text; the next free number for a new text. */
function number(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}
