/** What revocation lists and OCSP responses say about a certificate, and why one says nothing that can be used. */

import type { Millis } from "../../base/clock.ts";
import { type SignatureResult, verifySignature } from "../chain/mod.ts";
import type { Certificate } from "../types.ts";
import type { RevocationReason } from "./reasons.ts";

/** Why an answer cannot be used. Codes are stable; messages are sentences without a full stop. */
export interface RevocationFault {
  readonly code:
    | "malformed"
    | "wrong_issuer"
    | "wrong_serial"
    | "wrong_scope"
    | "bad_signature"
    | "unsupported"
    | "critical_extension"
    | "key_usage"
    | "expired"
    | "not_yet_valid"
    | "wrong_nonce"
    | "responder_refused";
  readonly message: string;
}

/** A valid answer that is current. */
export interface RevocationAnswer {
  readonly status: "good" | "revoked" | "unknown";
  readonly reason?: RevocationReason;
  readonly revokedAt?: Millis;
  readonly thisUpdate: Millis;
  readonly nextUpdate: Millis;
  /** Subject of the certificate that signed it. */
  readonly signer: string;
}

/** Returns a fault. */
export function fault(code: RevocationFault["code"], message: string): { fault: RevocationFault } {
  return { fault: { code, message } };
}

/** Difference between the clocks of a CA and of this machine that is tolerated. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Returns why an answer is not current; undefined if it is. */
export function timeFault(
  { thisUpdate, nextUpdate }: { thisUpdate: Millis; nextUpdate: Millis },
  at: Millis,
): { fault: RevocationFault } | undefined {
  if (thisUpdate > at + CLOCK_SKEW_MS) {
    return fault("not_yet_valid", `It was issued in the future, on ${isoTime(thisUpdate)}`);
  }
  if (nextUpdate < thisUpdate) return fault("malformed", "nextUpdate is before thisUpdate");
  return nextUpdate < at ? fault("expired", `It was valid until ${isoTime(nextUpdate)}`) : undefined;
}

function isoTime(at: Millis): string {
  return new Date(at).toISOString();
}

/** Maximum number of certificates with the name of an issuer that are tried. */
const MAX_CANDIDATES = 8;

/** Returns the certificates of a pool that issued a certificate: the names match, and the signature verifies. */
export async function issuersOf(
  certificate: Certificate,
  pool: readonly Certificate[],
): Promise<Certificate[]> {
  const named = pool.filter(({ subject }) => subject.key === certificate.issuer.key);
  const issuers: Certificate[] = [];
  for (const candidate of bySubjectKeyId(named, certificate.authorityKeyId)) {
    const isCa = candidate.version < 3 || candidate.basicConstraints?.ca === true;
    if (isCa && (await signedBy(certificate, candidate)).kind === "good") issuers.push(candidate);
  }
  return issuers;
}

/** Returns the first candidates, those with the key identifier before others. */
export function bySubjectKeyId(
  candidates: readonly Certificate[],
  keyId: Uint8Array | undefined,
): Certificate[] {
  const sought = keyId?.toHex();
  const named = candidates.filter(({ subjectKeyId }) => subjectKeyId?.toHex() === sought);
  return [...named, ...candidates.filter((one) => !named.includes(one))].slice(0, MAX_CANDIDATES);
}

/** Checks the signature of a certificate with the key of another one. */
export function signedBy(certificate: Certificate, issuer: Certificate): Promise<SignatureResult> {
  const { signatureAlgorithm: algorithm, tbs: data, signature } = certificate;
  return verifySignature({ algorithm, key: issuer.publicKey, data, signature });
}
