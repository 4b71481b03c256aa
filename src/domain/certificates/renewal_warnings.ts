/** Warnings about a successor: what a user should know, although the renewal is possible. */

import { DAY_MS } from "../../base/clock.ts";
import { lifeInDays } from "./expiry.ts";
import type { ChainResult } from "../../x509/chain/mod.ts";

/** A difference between a certificate and its successor. */
export type RenewalWarning =
  /** An authority issued the certificate, but the successor is self-signed. */
  | { readonly code: "self_signed"; readonly issuer: string }
  | { readonly code: "expired"; readonly at: string }
  /** The certificate would expire later than its successor. */
  | { readonly code: "earlier_expiry"; readonly days: number; readonly at: string; readonly before: string }
  | { readonly code: "weaker_key" }
  /** The certificate has a chain, its successor came without. */
  | { readonly code: "no_chain" }
  /** The chain of the certificate is valid, that of its successor is not. */
  | { readonly code: "invalid_chain"; readonly status: ChainResult["status"]; readonly message: string }
  /** An open incident demands that the successor is replaced, too. */
  | { readonly code: "in_incident"; readonly incident: { readonly id: number; readonly name: string } }
  /** Both certificates have the same key. */
  | { readonly code: "same_key" }
  | { readonly code: "shorter_life"; readonly from: number; readonly to: number }
  | { readonly code: "other_issuer"; readonly issuer: string; readonly before: string };

/** What is compared of a certificate and its successor. */
export interface ComparedCertificate {
  readonly issuer: string;
  /** `2026-11-20T09:22:19Z` */
  readonly valid_from: string;
  readonly valid_to: string;
  readonly algorithm: unknown;
  /** In bits; null if unknown. */
  readonly key_size: unknown;
  readonly is_expired: boolean;
  readonly is_self_issued: boolean;
  /** Hash of the public key; undefined if it is unknown. */
  readonly spki_sha256: string | undefined;
}

/** A warning is given if the lifetime is below this fraction of the earlier one. */
const SHORTER = 0.9;

/** Compares a certificate with its successor. */
export function renewalWarnings(old: ComparedCertificate, successor: ComparedCertificate): RenewalWarning[] {
  const [issuer, before] = [successor.issuer, old.issuer];
  const [from, to] = [lifeInDays(old), lifeInDays(successor)];
  const warnings: RenewalWarning[] = [];
  if (successor.is_self_issued && !old.is_self_issued) warnings.push({ code: "self_signed", issuer: before });
  if (successor.is_expired) warnings.push({ code: "expired", at: successor.valid_to });
  const earlierBy = Date.parse(old.valid_to) - Date.parse(successor.valid_to);
  if (earlierBy > 0 && !successor.is_expired) {
    const days = Math.max(1, Math.round(earlierBy / DAY_MS));
    warnings.push({ code: "earlier_expiry", days, at: successor.valid_to, before: old.valid_to });
  }
  const [strength, earlier] = [strengthOf(successor), strengthOf(old)];
  if (strength !== undefined && earlier !== undefined && strength < earlier) {
    warnings.push({ code: "weaker_key" });
  }
  const { spki_sha256: key } = successor;
  if (key !== undefined && key === old.spki_sha256) warnings.push({ code: "same_key" });
  if (to < from * SHORTER) warnings.push({ code: "shorter_life", from, to });
  if (issuer !== before && !successor.is_self_issued) warnings.push({ code: "other_issuer", issuer, before });
  return warnings;
}

/** Returns whether an issuer has the common name of the certificate, which is then probably self-issued. */
export function isIssuedByName(name: string, issuer: string): boolean {
  return new RegExp(`(?:^|[,+])\\s*CN=${RegExp.escape(name)}(?:$|[,+])`, "i").test(issuer);
}

/** Bits of security by the minimum size of the key (NIST SP 800-57 part 1, table 2). */
const STRENGTHS: Readonly<Record<string, readonly (readonly [size: number, bits: number])[]>> = {
  rsa: [[15_360, 256], [7_680, 192], [3_072, 128], [2_048, 112], [1_024, 80]],
  ecdsa: [[512, 256], [384, 192], [256, 128], [224, 112], [160, 80]],
};

/** Returns the strength of a key; undefined if its algorithm or size is unknown. */
function strengthOf({ algorithm, key_size: size }: ComparedCertificate): number | undefined {
  if (algorithm === "ed25519") return 128;
  const known = size === null ? undefined : STRENGTHS[String(algorithm)];
  return known === undefined ? undefined : known.find(([least]) => Number(size) >= least)?.[1] ?? 0;
}
