/**
 * Caches the signature checks of a validation: each pair of certificate and issuer key is checked once,
 * within the budget.
 */

import type { Pause } from "../../base/pace.ts";
import { KEY_OID } from "../algorithm_names.ts";
import type { Budget } from "./limits.ts";
import { type CertificatePool, claimsSelfSigned, type PoolCertificate } from "./certificate_pool.ts";
import {
  ownDsaParameters,
  signatureCost,
  type SignatureInput,
  type SignatureResult,
  verifySignature,
} from "./signature/mod.ts";

/** A result, or `limit` if the budget did not allow the check. */
export type CachedResult = SignatureResult | { readonly kind: "limit" };

const LIMIT: CachedResult = { kind: "limit" };
const IN_PROGRESS: CachedResult = { kind: "unsupported", reason: "its parameters are inherited in a cycle" };

/** Checks signatures and caches the results. */
export class SignatureCache {
  readonly #pool: CertificatePool;
  readonly #budget: Budget;
  readonly #pause: Pause;
  readonly #results = new Map<string, CachedResult>();

  constructor(pool: CertificatePool, { budget, pause }: { budget: Budget; pause: Pause }) {
    this.#pool = pool;
    this.#budget = budget;
    this.#pause = pause;
  }

  /** Checks whether `child` is signed by the key of `issuer` (RFC 5280 §6.1.3 (a)(1)). */
  async check(child: PoolCertificate, issuer: PoolCertificate): Promise<CachedResult> {
    const pair = `${child.id} ${issuer.keyId}`;
    const known = this.#results.get(pair);
    if (known !== undefined) return known;
    this.#results.set(pair, IN_PROGRESS);
    const result = await this.#verify(child, issuer);
    this.#results.set(pair, result);
    return result;
  }

  /** Returns whether `member` is self-signed: subject and issuer are equal and its own key signed it. */
  async isSelfSigned(member: PoolCertificate): Promise<boolean> {
    return member.selfIssued && (await this.check(member, member)).kind === "good";
  }

  /**
   * Returns whether a path may end at `member`: it is self-signed, or its signature by its own key cannot be checked
   * here. The signature of a root proves nothing, so it need not be one that can be checked (RFC 5280 §6.1.1 (d)).
   */
  async isRoot(member: PoolCertificate): Promise<boolean> {
    if (!member.selfIssued) return false;
    const { kind } = await this.check(member, member);
    return kind === "good" || (kind === "unsupported" && claimsSelfSigned(member));
  }

  async #verify(child: PoolCertificate, issuer: PoolCertificate): Promise<CachedResult> {
    const { signatureAlgorithm, tbs, signature } = child.certificate;
    const key = issuer.certificate.publicKey;
    const input: SignatureInput = {
      algorithm: signatureAlgorithm,
      key,
      inheritedParameters: key.oid === KEY_OID.dsa ? await this.#dsaParameters(issuer) : undefined,
      data: tbs,
      signature,
    };
    const cost = signatureCost(input);
    if (cost > 0 && !this.#affords(cost)) return LIMIT;
    // Some algorithms block this thread for up to a few milliseconds.
    await this.#pause();
    return await verifySignature(input);
  }

  #affords(micros: number): boolean {
    return this.#budget.spend("signatureMicros", micros) && this.#budget.spend("signatureChecks");
  }

  /**
   * Returns the DSA parameters of a key. A DSA key without parameters has those of the DSA key that certifies
   * it (RFC 5280 §6.1.4 (f)).
   */
  async #dsaParameters(member: PoolCertificate): Promise<Uint8Array | undefined> {
    const own = ownDsaParameters(member.certificate.publicKey);
    if (own !== undefined) return own;
    for (const candidate of this.#pool.issuerCandidates(member)) {
      if (candidate.certificate.publicKey.oid !== KEY_OID.dsa) continue;
      if ((await this.check(member, candidate)).kind === "good") return await this.#dsaParameters(candidate);
    }
    return undefined;
  }
}
