/** Why certificates are revoked (RFC 5280 §5.3.1). */

/** Reasons by their number (RFC 5280 §5.3.1); 7 is not used. */
const REASONS = [
  "unspecified",
  "key_compromise",
  "ca_compromise",
  "affiliation_changed",
  "superseded",
  "cessation_of_operation",
  "certificate_hold",
  "",
  "remove_from_crl",
  "privilege_withdrawn",
  "aa_compromise",
] as const;

/** Reasons for which a certificate is revoked. `remove_from_crl` occurs only in delta lists, which are not read. */
export const REVOCATION_REASONS = REASONS.filter((reason) => reason !== "" && reason !== "remove_from_crl");
export type RevocationReason = typeof REVOCATION_REASONS[number];

/** Returns the reason with a number; undefined if no certificate can be revoked for it. */
export function reasonOf(code: number): RevocationReason | undefined {
  return REVOCATION_REASONS.find((reason) => reason === REASONS[code]);
}
