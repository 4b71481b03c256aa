/** Checks whether a revocation list can be used, and what it says about a certificate (RFC 5280 §6.3.3). */

import { verifySignature } from "../chain/mod.ts";
import type { Certificate, GeneralName } from "../types.ts";
import type { RevocationList } from "./crl.ts";
import {
  bySubjectKeyId,
  fault,
  type RevocationAnswer,
  type RevocationFault,
  signedBy,
  timeFault,
} from "./types.ts";

/**
 * Checks the times, the extensions and the signature of a list, once for all certificates.
 * @param issuers Certificates of the authority that issued the certificates.
 * @param pool Other certificates, among which it may have one for its lists.
 */
export async function checkList(
  list: RevocationList,
  { issuers, pool, at }: { issuers: readonly Certificate[]; pool: readonly Certificate[]; at: number },
): Promise<{ signer: Certificate } | { fault: RevocationFault }> {
  if (list.unsupported !== undefined) return fault("unsupported", list.unsupported);
  if (list.critical !== undefined) {
    return fault("critical_extension", `It has the critical extension ${list.critical}`);
  }
  if (issuers.every(({ subject }) => subject.key !== list.issuer.key)) {
    return fault("wrong_issuer", `It was issued by ${list.issuer.text}`);
  }
  return timeFault(list, at) ?? await findSigner(list, { issuers, pool });
}

async function findSigner(
  list: RevocationList,
  { issuers, pool }: { issuers: readonly Certificate[]; pool: readonly Certificate[] },
): Promise<{ signer: Certificate } | { fault: RevocationFault }> {
  const { signatureAlgorithm: algorithm, tbs: data, signature } = list;
  let failure = fault("bad_signature", "Its signature does not verify with a key of the issuer");
  const others = pool.filter((one) => one.subject.key === list.issuer.key && !issuers.includes(one));
  for (const candidate of bySubjectKeyId([...issuers, ...others], list.authorityKeyId)) {
    const result = await verifySignature({ algorithm, key: candidate.publicKey, data, signature });
    if (result.kind === "unsupported") failure = fault("unsupported", result.reason);
    if (result.kind !== "good" || !await isOfAuthority(candidate, issuers)) continue;
    if (candidate.keyUsage?.includes("cRLSign") !== false) return { signer: candidate };
    failure = fault("key_usage", "The key that signed it may not sign lists: its keyUsage lacks cRLSign");
  }
  return failure;
}

/** Returns whether a certificate is one of the issuers, or one of their keys signed it for the same name. */
async function isOfAuthority(candidate: Certificate, issuers: readonly Certificate[]): Promise<boolean> {
  if (issuers.includes(candidate)) return true;
  for (const issuer of issuers) if ((await signedBy(candidate, issuer)).kind === "good") return true;
  return false;
}

/** Returns what a checked list says about a certificate, or why it does not cover it. */
export function answerOfList(
  list: RevocationList,
  { certificate, signer }: { certificate: Certificate; signer: Certificate },
): RevocationAnswer | { fault: RevocationFault } {
  if (certificate.issuer.key !== list.issuer.key) {
    return fault("wrong_issuer", `It was issued by ${list.issuer.text}`);
  }
  const outside = scopeFault(list, certificate);
  if (outside !== undefined) return fault("wrong_scope", outside);
  const { thisUpdate, nextUpdate } = list;
  const entry = list.found.get(certificate.serial.toHex());
  const common = { thisUpdate, nextUpdate, signer: signer.subject.text };
  return entry === undefined ? { status: "good", ...common } : { status: "revoked", ...entry, ...common };
}

/** Returns why a list does not cover a certificate; undefined if it does (RFC 5280 §6.3.3 (b)(2)). */
function scopeFault({ scope }: RevocationList, certificate: Certificate): string | undefined {
  if (scope === undefined) return undefined;
  const isCa = certificate.basicConstraints?.ca === true;
  if (scope.attributeCertificatesOnly) return "It covers only attribute certificates";
  if (scope.userCertificatesOnly && isCa) return "It does not cover certificates of authorities";
  if (scope.caCertificatesOnly && !isCa) return "It covers only certificates of authorities";
  if (scope.names.length === 0) return undefined;
  const points = certificate.crlDistributionPoints ?? [];
  // Without a distribution point, the name of the issuer takes its place.
  const covered = points.length === 0
    ? scope.names.some(({ directoryName }) => directoryName?.key === certificate.issuer.key)
    : points.some(({ names, crlIssuer, partial }) =>
      partial !== true &&
      (names.length > 0 ? names : crlIssuer).some((name) => scope.names.some(isSame(name)))
    );
  return covered
    ? undefined
    : "Its distribution point is not one of the certificate: it covers other certificates";
}

function isSame(name: GeneralName): (other: GeneralName) => boolean {
  const { kind, value, directoryName } = name;
  return (other) =>
    other.kind === kind &&
    (directoryName === undefined ? other.value === value : other.directoryName?.key === directoryName.key);
}
