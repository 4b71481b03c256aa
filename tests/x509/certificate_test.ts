import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { MAX_CERTIFICATE_BYTES } from "../../src/x509/der.ts";
import { type Certificate, parseCertificate } from "../../src/x509/mod.ts";
import {
  buildCertificate,
  type CertificateFields,
  type CertificateInput,
  derWriter,
  ext,
  type Signature,
  TestCa,
  testKey,
} from "../support/test_ca/mod.ts";

const { ascii, bitString, concat, explicit, integer, octetString, oid, sequence, tlv } = derWriter;
const key = await testKey("ed25519");

/** Returns a certificate with the fields of the test, signed or not. */
function build(fields: Partial<CertificateFields>): Promise<Uint8Array> {
  return buildCertificate({
    serial: 1,
    issuer: "Issuer",
    notBefore: "2026-01-01T00:00:00Z",
    notAfter: "2026-12-31T23:59:59Z",
    subject: "Subject",
    spki: key.spki,
    extensions: [],
    innerAlgorithm: key.algorithm(),
    sign: (): Promise<Signature> =>
      Promise.resolve({ algorithm: key.algorithm(), signature: new Uint8Array(64) }),
    ...fields,
  });
}

async function made(input: CertificateInput): Promise<Certificate> {
  return (await TestCa.selfSigned({ key: "ed25519", ...input })).certificate;
}

function codesOf(der: Uint8Array): string[] {
  return parseCertificate(der).findings.map(({ code }) => code);
}

Deno.test("a certificate is read field by field", async () => {
  const root = await TestCa.root({ cn: "Acme Root", key });
  const leaf = await root.issue({ cn: "www.acme.example", key: "p256", serial: "00:A1:b2:c3" });
  const { certificate } = leaf;
  assert.equal(certificate.version, 3);
  assert.equal(certificate.serial.toHex(), "00a1b2c3");
  assert.equal(certificate.issuer.text, "CN=Acme Root");
  assert.equal(certificate.subject.text, "CN=www.acme.example");
  assert.equal(certificate.issuer.key, root.certificate.subject.key);
  assert.equal(certificate.publicKey.name, "ECDSA P-256");
  assert.deepEqual(certificate.publicKey.spki, leaf.key.spki);
  assert.equal(certificate.signatureAlgorithm.name, "Ed25519");
  assert.deepEqual(certificate.tbsSignatureAlgorithm.der, certificate.signatureAlgorithm.der);
  assert.equal(certificate.fingerprintSha256, createHash("sha256").update(leaf.der).digest("hex"));
  assert.equal(certificate.fingerprintSha1, createHash("sha1").update(leaf.der).digest("hex"));
  assert.equal(certificate.signature.length, 64);
  assert.deepEqual(certificate.findings, []);
  const verifier = await crypto.subtle.importKey("spki", key.spki as BufferSource, "Ed25519", false, [
    "verify",
  ]);
  const signed = await crypto.subtle.verify(
    "Ed25519",
    verifier,
    certificate.signature as BufferSource,
    certificate.tbs as BufferSource,
  );
  assert.equal(signed, true);
});

Deno.test("bytes after the certificate are refused, so that no fingerprint covers them", async () => {
  const der = await build({});
  assert.deepEqual(codesOf(concat(der, Uint8Array.of(0))), ["trailing_data"]);
  assert.equal(parseCertificate(concat(der, der)).certificate, undefined);
});

Deno.test("a certificate above the size limit is refused with the limit in the message", async () => {
  const padding = { oid: "1.2.3", value: new Uint8Array(MAX_CERTIFICATE_BYTES) };
  const { certificate, findings } = parseCertificate(await build({ extensions: [padding] }));
  assert.equal(certificate, undefined);
  assert.equal(findings[0]!.code, "too_large");
  assert.match(findings[0]!.message, /at most 65536/);
});

for (const cut of [0, 1, 2, 4, 50, -1]) {
  Deno.test(`a certificate truncated at ${cut} is malformed`, async () => {
    const der = await build({});
    assert.deepEqual(codesOf(der.slice(0, cut)), ["malformed"]);
  });
}

for (
  const [title, serial, code, hex] of [
    ["a negative serial", Uint8Array.of(0x80, 1), "negative_serial", "8001"],
    ["a serial of 0", 0, "zero_serial", "00"],
    ["a serial of 21 octets", new Uint8Array(21).fill(0x11), "long_serial", "11".repeat(21)],
    ["a serial with superfluous zeros", Uint8Array.of(0, 0, 5), "not_der", "000005"],
  ] as const
) {
  Deno.test(`${title} is kept unchanged and reported`, async () => {
    const { certificate, findings } = parseCertificate(await build({ serial }));
    assert.equal(certificate?.serial.toHex(), hex);
    assert.deepEqual(findings.map((finding) => finding.code), [code]);
  });
}

for (
  const [title, fields] of [
    ["a serial without octets", { serial: new Uint8Array() }],
    ["version 4", { version: 4 }],
    ["month 13", { notAfter: tlv(0x17, ascii("261301000000Z")) }],
    ["a date without digits", { notBefore: tlv(0x17, ascii("neverneverZ")) }],
    ["a date that is an INTEGER", { notBefore: integer(5) }],
    ["a subject that is not a name", { subject: integer(5) }],
    ["a key that is not a SEQUENCE", { spki: integer(5) }],
    ["an algorithm without an OID", { innerAlgorithm: sequence() }],
    ["an algorithm whose NULL has content", {
      innerAlgorithm: sequence(oid("1.2.3"), tlv(5, Uint8Array.of(0))),
    }],
    ["an algorithm with two parameters", { innerAlgorithm: sequence(oid("1.2.3"), tlv(5), tlv(5)) }],
  ] as const satisfies readonly [string, Partial<CertificateFields>][]
) {
  Deno.test(`a certificate with ${title} is malformed`, async () => {
    assert.deepEqual(codesOf(await build(fields)), ["malformed"]);
  });
}

Deno.test("a signature that is not a BIT STRING is malformed, one without whole bytes is a finding", async () => {
  const { tbs, signatureAlgorithm } = await made({});
  const body = concat(tbs, signatureAlgorithm.der);
  assert.deepEqual(codesOf(sequence(body, bitString(new Uint8Array(64)))), []);
  assert.deepEqual(codesOf(sequence(body, bitString(new Uint8Array(64), 1))), ["signature_bits"]);
  assert.deepEqual(codesOf(sequence(body, bitString(new Uint8Array(64).fill(1), 1))), ["malformed"]);
  assert.deepEqual(codesOf(sequence(body, octetString(new Uint8Array(64)))), ["malformed"]);
  assert.deepEqual(codesOf(sequence(body, bitString(new Uint8Array(64)), tlv(5))), ["malformed"]);
});

Deno.test("a certificate of the year 0000 is read with a finding", async () => {
  const early = tlv(0x18, ascii("00000101000000Z"));
  assert.deepEqual(codesOf(await build({ notBefore: early })), ["time_encoding", "year_zero"]);
});

Deno.test("dates are whole seconds, and unusual forms are findings", async () => {
  const { validity } = await made({ notBefore: "2026-02-03T04:05:06Z", notAfter: "2051-01-01T00:00:00Z" });
  assert.deepEqual(validity, { notBefore: Date.UTC(2026, 1, 3, 4, 5, 6), notAfter: Date.UTC(2051, 0, 1) });
  const early = tlv(0x18, ascii("20260101000000Z"));
  assert.deepEqual(codesOf(await build({ notBefore: early })), ["time_encoding"]);
  assert.deepEqual(codesOf(await build({ notAfter: "2025-01-01T00:00:00Z" })), ["validity_inverted"]);
});

Deno.test("an empty issuer and an empty subject are read", async () => {
  const { certificate } = parseCertificate(await build({ issuer: "", subject: "" }));
  assert.deepEqual([certificate?.issuer.key, certificate?.subject.text], ["", ""]);
});

Deno.test("inner and outer algorithm are kept apart", async () => {
  const certificate = await made({ innerAlgorithm: sequence(oid("1.2.840.113549.1.1.11"), tlv(5)) });
  assert.equal(certificate.tbsSignatureAlgorithm.name, "sha256WithRSAEncryption");
  assert.equal(certificate.tbsSignatureAlgorithm.parameters?.toHex(), "0500");
  assert.equal(certificate.signatureAlgorithm.name, "Ed25519");
  assert.equal(certificate.signatureAlgorithm.parameters, undefined);
});

Deno.test("version 1 certificates are read; parts of later versions in them are reported", async () => {
  const plain = parseCertificate(await build({ version: 1 }));
  assert.deepEqual([plain.certificate?.version, plain.findings], [1, []]);
  assert.deepEqual(codesOf(await build({ version: 1, extensions: [ext.mustStaple()] })), [
    "version_mismatch",
  ]);
  assert.deepEqual(codesOf(await build({ version: 2, extensions: [ext.mustStaple()] })), [
    "version_mismatch",
  ]);
});

Deno.test("unique ids are skipped in version 2 and 3, in their order", async () => {
  const ids = [tlv(0x81, Uint8Array.of(0, 1)), tlv(0x82, Uint8Array.of(0, 2))] as const;
  // The builder writes the key as one element, so the unique ids are appended to the key.
  const accepted = await build({ version: 2, spki: concat(key.spki, ...ids) });
  assert.deepEqual(codesOf(accepted), []);
  assert.deepEqual(codesOf(await build({ version: 1, spki: concat(key.spki, ids[0]) })), [
    "version_mismatch",
  ]);
  assert.deepEqual(codesOf(await build({ spki: concat(key.spki, ids[1], ids[0]) })), ["malformed"]);
  assert.deepEqual(codesOf(await build({ spki: concat(key.spki, tlv(0x81, Uint8Array.of(9))) })), [
    "malformed",
  ]);
  assert.deepEqual(codesOf(await build({ spki: concat(key.spki, explicit(4, tlv(5))) })), ["malformed"]);
});

Deno.test("lengths that are not minimal are refused", async () => {
  const der = await build({});
  const length = der.length - 3;
  assert.deepEqual([...der.subarray(1, 3)], [0x81, length]);
  const longer = concat(Uint8Array.of(0x30, 0x82, 0, length), der.subarray(3));
  assert.deepEqual(codesOf(longer), ["malformed"]);
});
