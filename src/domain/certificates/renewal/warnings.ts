/** Warnings about a successor: what a user should know, although the renewal is possible. */

import { sha256Hex } from "../../../base/bytes.ts";
import { DAY_MS } from "../../../base/clock.ts";
import { inSlices } from "../../../base/pace.ts";
import { type Certificate, inventoryFields, readingCertificates } from "../../../x509/mod.ts";

/** A certificate as `renewCertificate` returns it. */
type Shown = Readonly<Record<string, unknown>>;

/** A difference between a certificate and its successor. */
export type RenewalWarning =
  /** An authority issued the certificate, but the successor is self-signed. */
  | { readonly code: "self_signed"; readonly issuer: string }
  | { readonly code: "expired"; readonly at: string }
  | { readonly code: "weaker_key" }
  /** Both certificates have the same key. */
  | { readonly code: "same_key" }
  | { readonly code: "shorter_life"; readonly from: number; readonly to: number }
  | { readonly code: "other_issuer"; readonly issuer: string; readonly before: string };

/** A warning is given if the lifetime is below this fraction of the earlier one. */
const SHORTER = 0.9;

/** Compares a certificate with its successor. */
export async function renewalWarnings(
  { old, new: successor }: { readonly old: Shown; readonly new: Shown },
): Promise<readonly RenewalWarning[]> {
  const [wasSelfIssued, isNowSelfIssued] = await Promise.all([isSelfIssued(old), isSelfIssued(successor)]);
  const [issuer, before] = [String(successor.issuer), String(old.issuer)];
  const [from, to] = [lifeInDays(old), lifeInDays(successor)];
  const warnings: RenewalWarning[] = [];
  if (isNowSelfIssued && !wasSelfIssued) warnings.push({ code: "self_signed", issuer: before });
  if (successor.is_expired === true) warnings.push({ code: "expired", at: String(successor.valid_to) });
  const [strength, earlier] = [strengthOf(successor), strengthOf(old)];
  if (strength !== undefined && earlier !== undefined && strength < earlier) {
    warnings.push({ code: "weaker_key" });
  }
  if (await hasSameKey({ old, new: successor })) warnings.push({ code: "same_key" });
  if (to < from * SHORTER) warnings.push({ code: "shorter_life", from, to });
  if (issuer !== before && !isNowSelfIssued) warnings.push({ code: "other_issuer", issuer, before });
  return warnings;
}

/** Returns whether both certificates have the same public key; undefined if one has no PEM. */
export async function hasSameKey(
  { old, new: successor }: { readonly old: Shown; readonly new: Shown },
): Promise<boolean | undefined> {
  const [before, after] = await Promise.all(
    [old, successor].map(({ pem_content: pem }) => typeof pem === "string" ? readFirst(pem) : undefined),
  );
  if (before === undefined || after === undefined) return undefined;
  return sha256Hex(before.publicKey.spki) === sha256Hex(after.publicKey.spki);
}

/** Returns the length of the validity period in days. */
export function lifeInDays(row: Shown): number {
  return Math.round((Date.parse(String(row.valid_to)) - Date.parse(String(row.valid_from))) / DAY_MS);
}

/** Returns whether subject and issuer are equal. Without PEM, the common names are compared. */
async function isSelfIssued({ pem_content: pem, common_name: name, issuer }: Shown): Promise<boolean> {
  const certificate = typeof pem === "string" ? await readFirst(pem) : undefined;
  if (certificate !== undefined) return certificate.subject.key === certificate.issuer.key;
  return new RegExp(`(?:^|[,+])\\s*CN=${RegExp.escape(String(name))}(?:$|[,+])`, "i").test(String(issuer));
}

async function readFirst(pem: string): Promise<Certificate | undefined> {
  return pem === "" ? undefined : (await inSlices(readingCertificates(pem))).members[0]?.certificate;
}

/** Returns the SHA-256 fingerprint of the first certificate of a text; undefined if it has none. */
export async function fingerprintOf(pem: string): Promise<string | undefined> {
  const certificate = await readFirst(pem);
  return certificate === undefined ? undefined : inventoryFields(certificate).fingerprint_sha256;
}

/** Bits of security by the minimum size of the key (NIST SP 800-57 part 1, table 2). */
const STRENGTHS: Readonly<Record<string, readonly (readonly [size: number, bits: number])[]>> = {
  rsa: [[15_360, 256], [7_680, 192], [3_072, 128], [2_048, 112], [1_024, 80]],
  ecdsa: [[512, 256], [384, 192], [256, 128], [224, 112], [160, 80]],
};

/** Returns the strength of a key; undefined if its algorithm or size is unknown. */
function strengthOf({ algorithm, key_size: size }: Shown): number | undefined {
  if (algorithm === "ed25519") return 128;
  const known = size === null ? undefined : STRENGTHS[String(algorithm)];
  return known === undefined ? undefined : known.find(([least]) => Number(size) >= least)?.[1] ?? 0;
}
