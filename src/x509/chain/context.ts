/** Shared state of all searches of one validation: certificates, caches, budget and validation time. */

import type { AnchorIndex } from "./anchors.ts";
import { type Distrust, distrustAfter, isNotForServers, ownDistrust } from "./distrust.ts";
import { Budget, type ChainLimits } from "./limits.ts";
import type { Pause } from "../../base/pace.ts";
import { NameCache } from "./names/check.ts";
import { PolicyCache, type PolicyInputs } from "./policies/mod.ts";
import { CandidateCache, CertificatePool, type PoolCertificate } from "./certificate_pool.ts";
import { CERTIFICATE_RULES, ISSUER_RULES } from "./rules/mod.ts";
import { SignatureCache } from "./signature_cache.ts";
import type { Certificate } from "../types.ts";
import type { AnchorKind, PathFailure } from "./types.ts";

/** Number of failures of a certificate that a rule reports one by one. */
const MAX_OF_RULE = 10;

/** The state of one validation. */
export class ValidationContext {
  readonly pool: CertificatePool;
  readonly budget: Budget;
  readonly signatures: SignatureCache;
  readonly pause: Pause;
  readonly policies: PolicyCache;
  readonly #distrust: Distrust | undefined;
  readonly #names: NameCache;
  readonly #candidates: CandidateCache;
  /** In seconds since the epoch, because the times of certificates are whole seconds (RFC 5280 §4.1.2.5). */
  readonly #at: number;
  readonly #ownFailures = new Map<number, readonly Omit<PathFailure, "position">[]>();

  constructor({ leaf, pool, anchors, at, limits, policy, pause }: {
    leaf: Certificate;
    pool: Iterable<Certificate>;
    anchors: AnchorIndex;
    at: number;
    limits: ChainLimits;
    policy: PolicyInputs;
    pause: Pause;
  }) {
    this.pool = new CertificatePool({ leaf, pool, anchors });
    this.#distrust = anchors.distrust;
    this.budget = new Budget(limits);
    this.pause = pause;
    this.signatures = new SignatureCache(this.pool, { budget: this.budget, pause });
    this.policies = new PolicyCache(policy, this.budget);
    this.#names = new NameCache(this.budget);
    this.#candidates = new CandidateCache(this.pool, (member) => this.#isInDate(member));
    this.#at = Math.floor(at / 1000);
  }

  /** Returns the failures of a certificate that do not depend on its position. */
  ownFailures(member: PoolCertificate, position: number): PathFailure[] {
    let failures = this.#ownFailures.get(member.id);
    if (failures === undefined) {
      failures = [
        ...CERTIFICATE_RULES.flatMap(({ code, citation, check }) =>
          limited(check(member.certificate, this.#at)).map((sentence) => ({ code, citation, sentence }))
        ),
        ...this.#distrust === undefined ? [] : ownDistrust(member.certificate, this.#distrust),
      ];
      this.#ownFailures.set(member.id, failures);
    }
    return failures.length === 0 ? [] : failures.map((failure) => ({ ...failure, position }));
  }

  /** Returns the failures of a path because of the anchor at its end. */
  anchorFailures(members: readonly PoolCertificate[]): PathFailure[] {
    return this.#distrust === undefined ? [] : distrustAfter(members, this.#distrust);
  }

  /** Returns the kind of anchor of the caller that ends a path of this leaf; undefined if it is none. */
  anchorKind({ certificate, anchor }: PoolCertificate): AnchorKind | undefined {
    return anchor === "public_root" && !this.#acceptsRoot(certificate) ? undefined : anchor;
  }

  /** Returns whether a certificate is a public root for this leaf, whether or not the caller tracks it. */
  isPublicRoot({ certificate }: PoolCertificate): boolean {
    const isKnown = this.pool.isPublicRoot(certificate) ||
      this.#distrust?.publicRoots.has(certificate.fingerprintSha256) === true;
    return isKnown && this.#acceptsRoot(certificate);
  }

  /** Returns the possible issuers of the last certificate of a path, most likely first. */
  candidates(path: readonly PoolCertificate[]): readonly PoolCertificate[] {
    return this.#candidates.of(path);
  }

  /**
   * Returns the failures that `issuer` adds when it is appended to the path `below`, except those of its
   * signature.
   */
  issuerFailures(issuer: PoolCertificate, below: readonly PoolCertificate[]): PathFailure[] {
    const context = { issuer, below, names: this.#names };
    const asIssuer = ISSUER_RULES.flatMap(({ code, citation, check }) =>
      check(context).map((finding): PathFailure => ({ code, citation, ...finding }))
    );
    return [...this.ownFailures(issuer, below.length + 1), ...asIssuer];
  }

  #acceptsRoot(root: Certificate): boolean {
    return this.#distrust === undefined ||
      !isNotForServers(root, this.pool.leaf.certificate, this.#distrust);
  }

  #isInDate({ certificate: { validity } }: PoolCertificate): boolean {
    return this.#at >= validity.notBefore / 1000 && this.#at <= validity.notAfter / 1000;
  }
}

/** Limits the failures of a rule, because they are part of every path with the certificate. */
function limited(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MAX_OF_RULE;
  if (more <= 1) return sentences;
  return [...sentences.slice(0, MAX_OF_RULE), `has ${more} more failures of this kind`];
}
