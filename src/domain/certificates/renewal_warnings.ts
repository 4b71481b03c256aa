/** Warnings about a successor: what a user should know, although the renewal is possible. */

import { sha256Hex } from "../../base/bytes.ts";
import type { Certificate as InventoryCertificate } from "./resource.ts";
import { DAY_MS } from "../../base/clock.ts";
import { inSlices } from "../../base/pace.ts";
import { lifeInDays } from "./expiry.ts";
import { type Certificate, readingCertificates } from "../../x509/mod.ts";

/** A certificate as `renewCertificate` returns it. */
type Shown = Partial<Omit<InventoryCertificate, "id" | "url">>;

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

/** Compares a certificate with its successor. */
export async function compareRenewal(
  { old, new: successor }: { readonly old: Shown; readonly new: Shown },
): Promise<RenewalWarning[]> {
  const [before, after] = await Promise.all([comparedOf(old), comparedOf(successor)]);
  const lacks = old.issuer_chain !== "" && successor.issuer_chain === "" && !after.is_self_issued;
  return [...renewalWarnings(before, after), ...lacks ? [{ code: "no_chain" } as const] : []];
}

async function comparedOf(row: Shown): Promise<ComparedCertificate> {
  const certificate = typeof row.pem_content === "string" ? await readFirst(row.pem_content) : undefined;
  return {
    issuer: String(row.issuer),
    valid_from: String(row.valid_from),
    valid_to: String(row.valid_to),
    algorithm: row.algorithm,
    key_size: row.key_size,
    is_expired: row.is_expired === true,
    is_self_issued: certificate === undefined
      ? isIssuedByName(String(row.common_name), String(row.issuer))
      : certificate.subject.key === certificate.issuer.key,
    spki_sha256: certificate === undefined ? undefined : sha256Hex(certificate.publicKey.spki),
  };
}

async function readFirst(pem: string): Promise<Certificate | undefined> {
  return pem === "" ? undefined : (await inSlices(readingCertificates(pem))).members[0]?.certificate;
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
