/** Builds a certificate from fields that a test may all set. */

import { createHash } from "node:crypto";
import { type Certificate, encodePem, parseCertificate } from "../../../src/x509/mod.ts";
import { bitString, explicit, integer, sequence, time } from "./der_writer.ts";
import { extension, type ExtensionInput } from "./extensions.ts";
import type { Signature, TestKey } from "./keys.ts";
import { name, type NameInput } from "./names.ts";

/** Milliseconds, an ISO 8601 text, or the DER of the Time itself. */
export type TimeInput = number | string | Uint8Array;

/** The fields of a certificate, each as it goes into the DER. */
export interface CertificateFields {
  /** Absent: version 3. */
  readonly version?: number;
  /** Number, hex text, or the exact content bytes of the INTEGER. */
  readonly serial: number | bigint | string | Uint8Array;
  readonly issuer: NameInput;
  readonly notBefore: TimeInput;
  readonly notAfter: TimeInput;
  readonly subject: NameInput;
  readonly spki: Uint8Array;
  readonly extensions: readonly ExtensionInput[];
  /** AlgorithmIdentifier inside the signed part. */
  readonly innerAlgorithm: Uint8Array;
  /** Returns signature and outer AlgorithmIdentifier for the bytes of the TBSCertificate. */
  readonly sign: (tbs: Uint8Array) => Promise<Signature>;
}

/** A certificate made for a test. */
export interface TestCertificate {
  readonly der: Uint8Array;
  readonly pem: string;
  /** The key pair of its public key. */
  readonly key: TestKey;
  /** DER of the subject. */
  readonly subject: Uint8Array;
  /** The certificate as our own parser returns it; throws if it is refused. */
  readonly certificate: Certificate;
}

/** Builds and signs a certificate. */
export async function buildCertificate(fields: CertificateFields): Promise<Uint8Array> {
  const { version = 3, extensions } = fields;
  const tbs = sequence(
    ...(version === 1 ? [] : [explicit(0, integer(version - 1))]),
    integer(serialValue(fields.serial)),
    fields.innerAlgorithm,
    name(fields.issuer),
    sequence(timeOf(fields.notBefore), timeOf(fields.notAfter)),
    name(fields.subject),
    fields.spki,
    ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions.map(extension)))]),
  );
  const { algorithm, signature } = await fields.sign(tbs);
  return sequence(tbs, algorithm, bitString(signature));
}

/** Wraps DER with the values of a certificate that tests use. */
export function testCertificate(
  der: Uint8Array,
  { key, subject }: { key: TestKey; subject: NameInput },
): TestCertificate {
  return {
    der,
    pem: encodePem(der),
    key,
    subject: name(subject),
    get certificate(): Certificate {
      const { certificate, findings } = parseCertificate(der);
      if (certificate === undefined) {
        throw new Error(`Expected a readable certificate: ${JSON.stringify(findings)}`);
      }
      return certificate;
    },
  };
}

/** Returns the key identifier of RFC 5280 §4.2.1.2, method 1: SHA-1 of the key bits. */
export function keyIdentifier(spki: Uint8Array): Uint8Array {
  // The BIT STRING is the last element; its content begins after the algorithm, whose length is its second byte.
  const header = spki[1]! < 0x80 ? 2 : 2 + (spki[1]! & 0x7f);
  const bits = header + 2 + spki[header + 1]!;
  const bitsHeader = spki[bits + 1]! < 0x80 ? 2 : 2 + (spki[bits + 1]! & 0x7f);
  return new Uint8Array(createHash("sha1").update(spki.subarray(bits + bitsHeader + 1)).digest());
}

function serialValue(serial: CertificateFields["serial"]): number | bigint | Uint8Array {
  return typeof serial === "string" ? BigInt(`0x${serial.replaceAll(":", "")}`) : serial;
}

function timeOf(input: TimeInput): Uint8Array {
  if (input instanceof Uint8Array) return input;
  const at = typeof input === "number" ? input : Date.parse(input);
  if (Number.isNaN(at)) throw new Error(`Expected a time, got "${input}"`);
  return time(at);
}
