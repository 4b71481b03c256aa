/** Reads the certificates of a text or file, and finds the issuers of each among them. Works in slices. */

import { addOnce, type Finding as RowError, finding } from "../../../base/findings.ts";
import { type Certificate, type Finding, readingCertificates, searchingKey } from "../../../x509/mod.ts";
import { unreadable } from "../mod.ts";

/** The certificates of a text or file; none if there are errors (`pem_content`). */
export interface Reading {
  readonly found: readonly Certificate[];
  readonly errors: readonly RowError[];
}

/** Reads the certificates of a text or file, and searches them for private keys. */
export function* readBundle(
  content: string | Uint8Array,
  reasonOf: (finding: Finding) => RowError = unreadable,
): Generator<void, Reading> {
  const { members, findings } = yield* readingCertificates(content);
  return yield* withoutKeys(
    members.map(({ certificate }) => certificate),
    findings.map(reasonOf),
  );
}

/** Returns the certificates, or why they are refused: for `reasons`, or because one contains a private key. */
export function* withoutKeys(
  found: readonly Certificate[],
  reasons: readonly RowError[],
): Generator<void, Reading> {
  const errors: RowError[] = [];
  const given = (yield* anyHoldsKey(found)) ? [finding("private_key")] : reasons;
  for (const one of given) addOnce(errors, "pem_content", one);
  return { found: errors.length === 0 ? found : [], errors };
}

/** Certificates without a private key. Remembered, because CA certificates are repeated in many chains. */
const harmless = new WeakSet<Certificate>();

/**
 * Returns whether one of the certificates contains a private key. Needed because the stored PEM is written
 * from them.
 */
function* anyHoldsKey(found: readonly Certificate[]): Generator<void, boolean> {
  for (const certificate of found) {
    if (harmless.has(certificate)) continue;
    yield;
    if (yield* searchingKey(certificate.der)) return true;
    harmless.add(certificate);
  }
  return false;
}

/** Certificates by subject name. */
type Pool = ReadonlyMap<string, readonly Certificate[]>;

/**
 * Returns the certificates above `leaf` in `pool`, nearest first, including cross-signed ones. Issuers are
 * matched by name.
 * @param max Maximum number of certificates.
 */
export function issuersOf(leaf: Certificate, pool: Pool, max: number): Certificate[] {
  const found = new Map<string, Certificate>();
  const open: Certificate[] = [leaf];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const issuer of pool.get(next.issuer.key) ?? []) {
      const { fingerprintSha256 } = issuer;
      if (fingerprintSha256 === leaf.fingerprintSha256 || found.has(fingerprintSha256)) continue;
      if (found.size === max) return [...found.values()];
      found.set(fingerprintSha256, issuer);
      open.push(issuer);
    }
  }
  return [...found.values()];
}

/** Groups certificates by subject name. */
export function bySubject(certificates: readonly Certificate[]): Pool {
  return Map.groupBy(certificates, (certificate) => certificate.subject.key);
}
