/** Reads one certificate (RFC 5280 §4.1) from its DER. */

import { createHash } from "node:crypto";
import { checkAlgorithm, readAlgorithm } from "./algorithms.ts";
import {
  bytesOf,
  contentOf,
  contextTag,
  DerError,
  type DerReader,
  findingOf,
  readerOf,
  requireSize,
  soleSequence,
  TAG,
} from "./der.ts";
import { bitStringOf, isMinimalInteger, smallIntegerOf, uncheckedBitStringOf } from "./der_values.ts";
import { noExtensions, readExtensions } from "./extensions.ts";
import { addFinding } from "./findings.ts";
import { readName } from "./names.ts";
import { readPublicKey } from "./public_key.ts";
import { readTime } from "./time.ts";
import type { Certificate, CertificateReading, ExtensionValues, Finding, Validity } from "./types.ts";

/** Maximum number of content bytes of a serial number (RFC 5280 §4.1.2.2). */
const MAX_SERIAL_BYTES = 20;

/**
 * Reads exactly one certificate. A broken structure, an invalid time or trailing bytes produce a finding
 * instead of a certificate. Every other defect is a finding in the certificate. Never throws.
 */
export function parseCertificate(der: Uint8Array): CertificateReading {
  try {
    requireSize(der, "certificate");
    const certificate = readCertificate(der);
    return { certificate, findings: certificate.findings };
  } catch (error) {
    return { findings: [findingOf(error)] };
  }
}

function readCertificate(input: Uint8Array): Certificate {
  const sequence = soleSequence(input, "certificate");
  const tbs = sequence.expect(TAG.sequence, "tbsCertificate");
  const signatureAlgorithm = readAlgorithm(sequence, "signatureAlgorithm");
  const { unused, bytes: signature } = bitStringOf(
    sequence.expect(TAG.bitString, "signatureValue"),
    "signatureValue",
  );
  sequence.finish("certificate");
  const findings: Finding[] = [];
  checkAlgorithm(signatureAlgorithm, findings);
  if (unused > 0) {
    findings.push({ code: "signature_bits", message: "signatureValue is not a whole number of bytes" });
  }
  return {
    der: input,
    tbs: bytesOf(tbs),
    ...readTbs(readerOf(tbs), findings),
    signatureAlgorithm,
    signature,
    fingerprintSha256: createHash("sha256").update(input).digest("hex"),
    fingerprintSha1: createHash("sha1").update(input).digest("hex"),
    findings,
  };
}

type Tbs = Omit<
  Certificate,
  "der" | "tbs" | "signatureAlgorithm" | "signature" | "fingerprintSha256" | "fingerprintSha1" | "findings"
>;

function readTbs(reader: DerReader, findings: Finding[]): Tbs {
  const version = readVersion(reader);
  const serial = contentOf(reader.expect(TAG.integer, "serialNumber"));
  checkSerial(serial, findings);
  const tbsSignatureAlgorithm = readAlgorithm(reader, "signature");
  checkAlgorithm(tbsSignatureAlgorithm, findings);
  const issuer = readName(reader, { field: "issuer", findings });
  const validity = readValidity(reader, findings);
  const subject = readName(reader, { field: "subject", findings });
  const publicKey = readPublicKey(reader);
  if (publicKey.malformed !== undefined) {
    findings.push({ code: "malformed_key", message: `The public key is malformed: ${publicKey.malformed}` });
  }
  const values = readRest(reader, { version, findings });
  return { version, serial, tbsSignatureAlgorithm, issuer, validity, subject, publicKey, ...values };
}

function readVersion(reader: DerReader): number {
  const tagged = reader.optional(contextTag(0, true), "version");
  if (tagged === undefined) return 1;
  const inner = readerOf(tagged);
  const version = smallIntegerOf(inner.expect(TAG.integer, "version"), "version") + 1;
  inner.finish("version");
  if (version > 3) throw new DerError(`The version is ${version}. Expected 1, 2 or 3`);
  return version;
}

/**
 * Reports serial numbers that are not positive or longer than 20 octets (RFC 5280 §4.1.2.2). They occur in
 * practice, so they are not refused.
 */
function checkSerial(serial: Uint8Array, findings: Finding[]): void {
  if (serial.length === 0) throw new DerError("serialNumber is an INTEGER without content");
  if (serial[0]! >= 0x80) {
    findings.push({ code: "negative_serial", message: "The serial number is negative" });
  } else if (serial.every((byte) => byte === 0)) {
    findings.push({ code: "zero_serial", message: "The serial number is 0" });
  }
  if (serial.length > MAX_SERIAL_BYTES) {
    findings.push({ code: "long_serial", message: `The serial number has ${serial.length} octets` });
  }
  if (!isMinimalInteger(serial)) {
    findings.push({ code: "not_der", message: "The serial number is not in its shortest form" });
  }
}

function readValidity(reader: DerReader, findings: Finding[]): Validity {
  const sequence = reader.enter(TAG.sequence, "validity");
  const notBefore = readTime(sequence, "notBefore");
  const notAfter = readTime(sequence, "notAfter");
  sequence.finish("validity");
  if (!notBefore.wellEncoded || !notAfter.wellEncoded) {
    findings.push({
      code: "time_encoding",
      message: "A date before 2050 uses GeneralizedTime instead of UTCTime",
    });
  }
  for (
    const [field, { wellFormed, yearZero }] of [["notBefore", notBefore], ["notAfter", notAfter]] as const
  ) {
    if (!wellFormed) {
      findings.push({ code: "time_form", message: `${field} has no seconds, or a time zone other than Z` });
    }
    if (yearZero) findings.push({ code: "year_zero", message: `${field} is in the year 0000` });
  }
  if (notAfter.at < notBefore.at) {
    findings.push({ code: "validity_inverted", message: "notAfter is before notBefore" });
  }
  return { notBefore: notBefore.at, notAfter: notAfter.at };
}

/** Reads the unique ids (v2 and v3, §4.1.2.8), which are discarded, and the extensions (v3, §4.1.2.9). */
function readRest(
  reader: DerReader,
  { version, findings }: { version: number; findings: Finding[] },
): ExtensionValues {
  const issuerId = reader.optional(contextTag(1, false), "issuerUniqueID");
  const subjectId = reader.optional(contextTag(2, false), "subjectUniqueID");
  const tagged = reader.optional(contextTag(3, true), "extensions");
  reader.finish("tbsCertificate");
  for (const [field, id] of [["issuerUniqueID", issuerId], ["subjectUniqueID", subjectId]] as const) {
    if (id !== undefined && !uncheckedBitStringOf(id, field).wellEncoded) {
      addFinding(findings, { code: "unique_id_bits", message: `${field} has unused bits that are not 0` });
    }
  }
  if (version === 1 && (issuerId ?? subjectId) !== undefined) {
    findings.push({ code: "version_mismatch", message: "A version 1 certificate with unique ids" });
  }
  if (tagged === undefined) return noExtensions();
  if (version !== 3) {
    findings.push({ code: "version_mismatch", message: `A version ${version} certificate with extensions` });
  }
  const inner = readerOf(tagged);
  const values = readExtensions(inner, findings);
  inner.finish("extensions");
  return values;
}
