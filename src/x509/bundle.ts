/** Reads every certificate of a text or file, CA certificates only once. The kind of input is detected from its content. */

import { Buffer } from "node:buffer";
import { MAX_MEMBERS, MAX_PEM_TEXT_BYTES } from "../base/limits.ts";
import { atOnce } from "../base/pace.ts";
import { parseCertificate } from "./certificate.ts";
import { DerReader, findingOf, TAG } from "./der.ts";
import { isPkcs12, keyForm } from "./key_forms.ts";
import { type PemBlock, readPem } from "./pem.ts";
import { looksLikePkcs7, readPkcs7 } from "./pkcs7.ts";
import { parseRequest } from "./request.ts";
import { decodeText, latin1 } from "./strings.ts";
import type { Bundle, BundleMember, CertificateReading, Finding } from "./types.ts";

/**
 * Maximum size of all cached certificates in bytes: the chains of some dozen authorities. What is read from a byte may
 * take 100 bytes of memory.
 */
const MAX_REMEMBERED_BYTES = 256 * 1024;
/** Maximum size of a cached certificate in bytes. */
const MAX_BYTES = 8_192;

/** Readings by the bytes of the certificate, least recently used first. */
const remembered = new Map<string, CertificateReading>();
let rememberedBytes = 0;

/** Works like {@link parseCertificate}, but parses each CA certificate only once. */
function parseOrRecall(der: Uint8Array): CertificateReading {
  if (der.length > MAX_BYTES) return parseCertificate(der);
  const key = Buffer.from(der.buffer, der.byteOffset, der.byteLength).toString("latin1");
  const known = remembered.get(key);
  // A copy, because a certificate keeps the memory that it was read from, which may be a whole file.
  const reading = known ?? parseCertificate(der.slice());
  if (reading.certificate?.basicConstraints?.ca !== true) return reading;
  if (!remembered.delete(key)) rememberedBytes += key.length;
  remembered.set(key, reading);
  for (const oldest of remembered.keys()) {
    if (rememberedBytes <= MAX_REMEMBERED_BYTES) break;
    remembered.delete(oldest);
    rememberedBytes -= oldest.length;
  }
  return reading;
}

const TRUSTED_LABEL = "TRUSTED CERTIFICATE";
/** Labels of certificates, of chains, and of PKCS#7. Programs mix them up, so the content decides. */
const CERTIFICATE_LABEL =
  /^(?!.*\b(?:REQUEST|REVOCATION|ATTRIBUTE)\b).*\bCERTIFICATES?\b|^(?:PKCS ?#?7|CMS)\b/;

/** The PEM block and line of a certificate. */
type BlockPosition = Pick<BundleMember, "block" | "line">;

/** Collects the certificates and findings of one input. */
class Collector {
  readonly members: BundleMember[] = [];
  readonly findings: Finding[] = [];

  add({ certificate, findings }: CertificateReading, position: BlockPosition = {}): void {
    if (certificate === undefined) this.refuse(findings, position);
    else if (this.members.length < MAX_MEMBERS) this.members.push({ certificate, ...position });
    else if (!this.findings.some((finding) => finding.code === "too_large")) {
      this.findings.push({ code: "too_large", message: `More than ${MAX_MEMBERS} certificates` });
    }
  }

  refuse(findings: readonly Finding[], position: BlockPosition = {}): void {
    for (const finding of findings) this.findings.push({ ...finding, ...position });
  }
}

/**
 * Reads PEM text, one DER certificate, or PKCS#7 (DER or BER). Never throws. Reads at most 1 MiB and 1,000
 * certificates; a finding states the limit that the input exceeds.
 */
export function readCertificates(input: Uint8Array | string): Bundle {
  return atOnce(readingCertificates(input));
}

/** Works like {@link readCertificates}, but in slices: yields before each certificate. */
export function* readingCertificates(input: Uint8Array | string): Generator<void, Bundle> {
  if (input.length > MAX_PEM_TEXT_BYTES) {
    const message = `The input is larger than ${MAX_PEM_TEXT_BYTES} bytes`;
    return { kind: "unknown", members: [], findings: [{ code: "too_large", message }] };
  }
  if (typeof input === "string") return yield* readText(input);
  const container = containerOf(input);
  if (container !== undefined) {
    return { kind: "unknown", members: [], findings: [{ code: "wrong_kind", message: container }] };
  }
  const text = decodeText(input);
  return text === undefined ? yield* readBinary(input) : yield* readText(text);
}

function* readText(text: string): Generator<void, Bundle> {
  const { blocks, findings } = readPem(text);
  const collector = new Collector();
  collector.refuse(findings);
  yield;
  for (const block of blocks) {
    yield;
    yield* readBlock(block, collector);
  }
  const kind = findings.some((finding) => finding.code === "no_pem") ? "unknown" : "pem";
  collector.findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { kind, members: collector.members, findings: collector.findings };
}

function* readBlock(
  { label, bytes, block, line }: PemBlock,
  collector: Collector,
): Generator<void, void> {
  const position = { block, line };
  if (label === TRUSTED_LABEL) collector.add(parseOrRecall(stripTrustSettings(bytes)), position);
  else if (CERTIFICATE_LABEL.test(label)) {
    if (looksLikePkcs7(bytes)) yield* addPkcs7(bytes, collector, position);
    else collector.add(readOrIdentify(bytes), position);
  } else if (label.endsWith("PRIVATE KEY")) collector.refuse([PRIVATE_KEY], position);
  else {
    const code = label.endsWith("CERTIFICATE REQUEST") ? "signing_request" : "unexpected_block";
    collector.refuse([{ code, message: `${label} is not a certificate` }], position);
  }
}

const PKCS12 = "A PKCS#12 file, which may contain a private key. Export its certificates: " +
  "openssl pkcs12 -in FILE -nokeys -out certificates.pem";
const WORKBOOK =
  "An Excel workbook (.xlsx). Import it in the browser, as the only file, or save it as “CSV UTF-8”";
const KEYTOOL = "Export its certificates with: keytool -list -rfc -keystore FILE";
/** First bytes of files that contain other files or certificates, and what to do with them. */
const CONTAINERS = [
  ["504b0304", "A ZIP archive. Extract it, and choose its files"],
  ["1f8b08", "A gzip file. Decompress it with gunzip, and choose the result"],
  ["feedfeed00", `A Java key store (JKS). ${KEYTOOL}`],
  ["cececece00", `A Java key store (JCEKS). ${KEYTOOL} -storetype JCEKS`],
] as const;
/** OIDs in PKCS#12 (RFC 7292 §4): bags of keys; encrypted data, and a bag of a certificate. */
const bagOid = (end: string): string => latin1(Uint8Array.fromHex(`2a864886f70d${end}`));
const KEY_BAGS = ["010c0a0101", "010c0a0102"].map(bagOid);
const OTHER_CONTENT = ["010706", "010c0a0103"].map(bagOid);

/**
 * Returns what a file is that certificates must be taken out of first; undefined for others. A PKCS#12 file with a
 * visible key is not among them.
 */
export function containerOf(bytes: Uint8Array): string | undefined {
  if (isPkcs12(bytes)) {
    const content = latin1(bytes);
    const has = (oid: string): boolean => content.includes(oid);
    return OTHER_CONTENT.some(has) && !KEY_BAGS.some(has) ? PKCS12 : undefined;
  }
  const head = bytes.subarray(0, 5).toHex();
  if (head.startsWith("504b0304") && latin1(bytes).includes("xl/workbook.xml")) return WORKBOOK;
  return CONTAINERS.find(([magic]) => head.startsWith(magic))?.[1];
}

const PRIVATE_KEY: Finding = { code: "private_key", message: "A private key, not a certificate" };

function* readBinary(bytes: Uint8Array): Generator<void, Bundle> {
  const collector = new Collector();
  let kind: Bundle["kind"] = "unknown";
  if (looksLikePkcs7(bytes)) {
    kind = "pkcs7";
    yield* addPkcs7(bytes, collector);
  } else {
    const reading = readOrIdentify(bytes);
    if (reading.certificate !== undefined) kind = "der";
    collector.add(reading);
  }
  return { kind, members: collector.members, findings: collector.findings };
}

function* addPkcs7(
  bytes: Uint8Array,
  collector: Collector,
  position: BlockPosition = {},
): Generator<void, void> {
  const { certificates, findings } = readPkcs7(bytes);
  for (const certificate of certificates) {
    yield;
    collector.add(parseOrRecall(certificate), position);
  }
  collector.refuse(findings, position);
}

/**
 * Reads a certificate. If the bytes are something else that is recognized, the finding says what they are.
 */
function readOrIdentify(bytes: Uint8Array): CertificateReading {
  const reading = parseOrRecall(bytes);
  if (reading.certificate !== undefined) return reading;
  const form = keyForm(bytes);
  if (form === "private_key") return { findings: [PRIVATE_KEY] };
  if (form === "pkcs12") return { findings: [{ code: "wrong_kind", message: PKCS12 }] };
  if (parseRequest(bytes).request === undefined) {
    const part = isCutOff(bytes) ? "cut_off" : "damaged";
    return { findings: reading.findings.map((one) => ({ ...one, part })) };
  }
  const message = "A certificate signing request, not a certificate";
  return { findings: [{ code: "signing_request", message }] };
}

/** Returns whether bytes are only the beginning of a SEQUENCE. */
function isCutOff(bytes: Uint8Array): boolean {
  try {
    new DerReader(bytes).expect(TAG.sequence, "certificate");
    return false;
  } catch (error) {
    findingOf(error);
    return bytes[0] === TAG.sequence;
  }
}

/** Removes the trust settings that follow the certificate in OpenSSL's TRUSTED CERTIFICATE. */
function stripTrustSettings(bytes: Uint8Array): Uint8Array {
  const reader = new DerReader(bytes);
  try {
    return bytes.subarray(0, reader.next("certificate").end);
  } catch (error) {
    // Ignored, because the certificate reader reports the same error.
    findingOf(error);
    return bytes;
  }
}
