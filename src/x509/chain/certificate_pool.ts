/** All certificates that may be on a path. Names and keys are numbered, so that comparing them is cheap. */

import type { Certificate } from "../types.ts";
import type { AnchorIndex } from "./anchors.ts";
import type { AnchorKind } from "./types.ts";

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
