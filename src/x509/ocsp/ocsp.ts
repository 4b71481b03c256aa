/**
 * Asks whether a certificate is revoked by OCSP, and checks responses (RFC 6960, RFC 9654). The structures are read and
 * written by `@peculiar/asn1-ocsp`; what is signed and by whom is checked here.
 */

import "reflect-metadata";
import {
  BasicOCSPResponse,
  CertID,
  id_pkix_ocsp_basic,
  id_pkix_ocsp_nonce,
  OCSPRequest,
  OCSPResponse,
  OCSPResponseStatus,
  Request,
  type SingleResponse,
  TBSRequest,
} from "@peculiar/asn1-ocsp";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import { AlgorithmIdentifier, Extension, Extensions, type Name } from "@peculiar/asn1-x509";
import { createHash } from "node:crypto";
import { readAlgorithm } from "../algorithms.ts";
import { bytesOf, contextTag, DerError, DerReader, soleSequence, TAG } from "../der.ts";
import { parseName } from "../names.ts";
import { parseCertificate } from "../certificate.ts";
import { verifySignature } from "../chain/mod.ts";
import { criticalExtension } from "../chain/rules/critical_extension.ts";
import type { Certificate } from "../types.ts";
import { DAY_MS } from "../../base/clock.ts";
import {
  fault,
  reasonOf,
  type RevocationAnswer,
  type RevocationFault,
  signedBy,
  timeFault,
} from "../revocation/mod.ts";

/** Number of bytes of a nonce (RFC 9654 §2.1). */
const NONCE_BYTES = 32;
/** Responders must support SHA-1 in requests (RFC 5019 §2.1.1); it only names the issuer. */
const SHA1 = "1.3.14.3.2.26";
const HASHES: Readonly<Record<string, string>> = { [SHA1]: "sha1", "2.16.840.1.101.3.4.2.1": "sha256" };
/** The SCTs of a certificate (RFC 6962 §3.3), which say nothing about its revocation. */
const SCT_LIST = "1.3.6.1.4.1.11129.2.4.5";
/** Maximum number of certificates of a response that are considered. */
const MAX_CERTIFICATES = 5;
/** Time for which a response without nextUpdate counts: newer information is available all the time. */
const WITHOUT_NEXT_UPDATE_MS = DAY_MS;

type Outcome = RevocationAnswer | { readonly fault: RevocationFault };

/** Builds the request for a certificate. Returns its bytes, and the nonce that a response may repeat. */
export function ocspRequest(
  certificate: Certificate,
  issuer: Certificate,
): { bytes: Uint8Array<ArrayBuffer>; nonce: Uint8Array } {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const encodedNonce = new OctetString(AsnConvert.serialize(new OctetString(nonce)));
  const reqCert = new CertID({
    hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA1, parameters: null }),
    issuerNameHash: new OctetString(nameHash(certificate, SHA1)!),
    issuerKeyHash: new OctetString(hashOf(SHA1, issuer.publicKey.bits)!),
    serialNumber: certificate.serial.slice().buffer,
  });
  const tbsRequest = new TBSRequest({
    requestList: [new Request({ reqCert })],
    requestExtensions: new Extensions([
      new Extension({ extnID: id_pkix_ocsp_nonce, critical: false, extnValue: encodedNonce }),
    ]),
  });
  return { bytes: new Uint8Array(AsnConvert.serialize(new OCSPRequest({ tbsRequest }))), nonce };
}

/** What a response is checked against. */
export interface OcspQuestion {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
  readonly at: number;
  /** Absent for stapled responses, for which there was no request of ours. */
  readonly nonce?: Uint8Array;
}

/** Checks a response and returns what it says about the certificate. Never throws. */
export async function checkOcspResponse(der: Uint8Array, question: OcspQuestion): Promise<Outcome> {
  const read = readResponse(der);
  if ("fault" in read) return read;
  const { basic, algorithm, tbs, certificates } = read;
  const { certificate, issuer, at, nonce } = question;
  const { responses, responseExtensions = [] } = basic.tbsResponseData;
  const critical = responseExtensions.find((one) => one.critical && one.extnID !== id_pkix_ocsp_nonce);
  if (critical !== undefined) {
    return fault("critical_extension", `It has the critical extension ${critical.extnID}`);
  }
  const singles = responses.filter((one) => isAbout(one, certificate, issuer));
  if (singles.length === 0) return fault("wrong_serial", "It is about another certificate");
  if (singles.some((one) => one.singleExtensions?.some((one) => one.critical && one.extnID !== SCT_LIST))) {
    return fault("critical_extension", "It has an unknown critical extension");
  }
  const echoed = responseExtensions.find(({ extnID }) => extnID === id_pkix_ocsp_nonce);
  if (nonce !== undefined && echoed !== undefined && !isNonce(echoed, nonce)) {
    return fault("wrong_nonce", "It answers another request: its nonce is another one");
  }
  const signer = await findSigner({ basic, algorithm, tbs, certificates, issuer, at });
  if ("fault" in signer) return signer;
  const outcomes = singles.map((single): Outcome => {
    const thisUpdate = single.thisUpdate.getTime();
    const nextUpdate = single.nextUpdate?.getTime() ?? thisUpdate + WITHOUT_NEXT_UPDATE_MS;
    const common = { thisUpdate, nextUpdate, signer: signer.subject.text };
    return timeFault(common, at) ?? statusOf(single, common);
  });
  // Of several about the same certificate, the worst counts, whatever their order.
  return outcomes.reduce((worst, one) => severityOf(one) > severityOf(worst) ? one : worst);
}

function severityOf(outcome: Outcome): number {
  return "fault" in outcome ? 3 : ["good", "unknown", "revoked"].indexOf(outcome.status);
}

function statusOf(
  { certStatus: { revoked, good } }: SingleResponse,
  common: Pick<RevocationAnswer, "thisUpdate" | "nextUpdate" | "signer">,
): Outcome {
  if (revoked === undefined) return { status: good === null ? "good" : "unknown", ...common };
  const reason = reasonOf(revoked.revocationReason?.reason ?? 0);
  const revokedAt = revoked.revocationTime.getTime();
  if (reason === undefined) return fault("malformed", "Its reason does not exist");
  return { status: "revoked", reason, revokedAt, ...common };
}

interface ReadResponse {
  readonly basic: BasicOCSPResponse;
  /** The parts over which the signature is verified, as they are in the bytes. */
  readonly algorithm: ReturnType<typeof readAlgorithm>;
  readonly tbs: Uint8Array;
  readonly certificates: readonly Certificate[];
}

function readResponse(der: Uint8Array): ReadResponse | { fault: RevocationFault } {
  try {
    soleSequence(der, "OCSP response");
    const { responseStatus, responseBytes } = AsnConvert.parse(der, OCSPResponse);
    if (responseStatus !== OCSPResponseStatus.successful) {
      const name = OCSPResponseStatus[responseStatus] ?? String(responseStatus);
      return fault("responder_refused", `The responder answered with the error ${name}`);
    }
    if (responseBytes?.responseType !== id_pkix_ocsp_basic) {
      return fault("unsupported", "Its type is not id-pkix-ocsp-basic");
    }
    const bytes = new Uint8Array(responseBytes.response.buffer);
    const basic = AsnConvert.parse(bytes, BasicOCSPResponse);
    const reader = soleSequence(bytes, "BasicOCSPResponse");
    const tbs = reader.expect(TAG.sequence, "tbsResponseData");
    const algorithm = readAlgorithm(reader, "signatureAlgorithm");
    reader.expect(TAG.bitString, "signature");
    const certificates: Certificate[] = [];
    if (reader.nextTag === contextTag(0, true)) {
      const list = reader.enter(contextTag(0, true), "certs").enter(TAG.sequence, "certs");
      while (!list.done && certificates.length < MAX_CERTIFICATES) {
        const { certificate } = parseCertificate(bytesOf(list.next("certificate")));
        if (certificate !== undefined) certificates.push(certificate);
      }
    }
    return { basic, algorithm, tbs: bytesOf(tbs), certificates };
  } catch (error) {
    return fault(
      "malformed",
      error instanceof Error && error.name !== "Error" ? error.message : "It is not an OCSP response",
    );
  }
}

/**
 * Finds the certificate that signed a response: the issuer itself, or one with the purpose OCSPSigning that the same
 * key issued (RFC 6960 §4.2.2.2).
 */
async function findSigner(
  { basic, algorithm, tbs, certificates, issuer, at }: ReadResponse & { issuer: Certificate; at: number },
): Promise<Certificate | { fault: RevocationFault }> {
  const { responderID } = basic.tbsResponseData;
  const keyHash = responderID.byKey === undefined
    ? undefined
    : new Uint8Array(responderID.byKey.buffer).toHex();
  const isNamed = (one: Certificate): boolean =>
    keyHash === undefined
      ? responderID.byName !== undefined && isName(responderID.byName, one)
      : hashOf(SHA1, one.publicKey.bits)?.toHex() === keyHash;
  const signature = new Uint8Array(basic.signature);
  let failure = fault("bad_signature", "No certificate of the issuer or of its responder has signed it");
  for (const candidate of [issuer, ...certificates].filter(isNamed)) {
    const result = await verifySignature({ algorithm, key: candidate.publicKey, data: tbs, signature });
    if (result.kind === "unsupported") failure = fault("unsupported", result.reason);
    if (result.kind !== "good") continue;
    if (candidate === issuer || candidate.publicKey.spki.toHex() === issuer.publicKey.spki.toHex()) {
      return candidate;
    }
    const refused = await delegationFault(candidate, { issuer, at });
    if (refused === undefined) return candidate;
    failure = refused;
  }
  return failure;
}

async function delegationFault(
  signer: Certificate,
  { issuer, at }: { issuer: Certificate; at: number },
): Promise<{ fault: RevocationFault } | undefined> {
  const isIssued = signer.issuer.key === issuer.subject.key &&
    (await signedBy(signer, issuer)).kind === "good";
  if (!isIssued) {
    return fault("bad_signature", "The issuer of the certificate did not issue that of the responder");
  }
  if (!signer.extendedKeyUsage?.includes("OCSPSigning")) {
    return fault("key_usage", "The certificate of the responder lacks the purpose OCSPSigning");
  }
  const [critical] = criticalExtension.check(signer, at);
  if (critical !== undefined) {
    return fault("critical_extension", `The certificate of the responder ${critical}`);
  }
  const { notBefore, notAfter } = signer.validity;
  return at < notBefore || at > notAfter
    ? fault("expired", "The certificate of the responder is not valid at this time")
    : undefined;
}

function isAbout({ certID }: SingleResponse, certificate: Certificate, issuer: Certificate): boolean {
  const { algorithm } = certID.hashAlgorithm;
  const same = (bytes: ArrayBuffer, sought: Uint8Array | undefined): boolean =>
    sought !== undefined && new Uint8Array(bytes).toHex() === sought.toHex();
  return same(certID.serialNumber, certificate.serial) &&
    same(certID.issuerNameHash.buffer, nameHash(certificate, algorithm)) &&
    same(certID.issuerKeyHash.buffer, hashOf(algorithm, issuer.publicKey.bits));
}

/** Returns the hash of the DER of the issuer's name, as it is in the certificate. */
function nameHash({ tbs }: Certificate, algorithm: string): Uint8Array<ArrayBuffer> | undefined {
  const reader = new DerReader(tbs).enter(TAG.sequence, "tbsCertificate");
  reader.optional(contextTag(0, true), "version");
  reader.next("serialNumber");
  reader.next("signature");
  return hashOf(algorithm, bytesOf(reader.next("issuer")));
}

function hashOf(algorithm: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const name = HASHES[algorithm];
  return name === undefined ? undefined : new Uint8Array(createHash(name).update(bytes).digest());
}

function isName(name: Name, certificate: Certificate): boolean {
  try {
    const element = new DerReader(new Uint8Array(AsnConvert.serialize(name))).next("responder");
    return parseName(element, { field: "responder", findings: [] }).key === certificate.subject.key;
  } catch (error) {
    // The library reads names that are malformed.
    if (error instanceof DerError) return false;
    throw error;
  }
}

/** Returns whether the extension has the nonce, an OCTET STRING inside. */
function isNonce({ extnValue }: Extension, nonce: Uint8Array): boolean {
  const bytes = new Uint8Array(extnValue.buffer);
  return bytes.toHex() === `0420${nonce.toHex()}`;
}
