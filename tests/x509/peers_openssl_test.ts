/**
 * A certificate that both OpenSSL and Go read is read with a finding; one that only one of them reads is refused.
 * OpenSSL runs here; Go's results were recorded with crypto/x509 of Go 1.19.8.
 */

import assert from "node:assert/strict";
import { encodePem, parseCertificate } from "../../src/x509/mod.ts";
import { openssl } from "../support/openssl.ts";
import {
  buildCertificate,
  type CertificateFields,
  derWriter,
  type Signature,
  testKey,
} from "../support/test_ca/mod.ts";

const { ascii, bitString, concat, octetString, oid, sequence, set, tlv, utf8 } = derWriter;
const key = await testKey("ed25519");
const UTC = 0x17;
const GENERALIZED = 0x18;

/** Returns a version 3 certificate with the fields of the test, signed or not. */
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
      Promise.resolve({
        algorithm: key.algorithm(),
        signature: new Uint8Array(64),
      }),
    ...fields,
  });
}

/** Returns the same certificate with another signatureValue, or with further elements after it. */
async function closedBy(...end: Uint8Array[]): Promise<Uint8Array> {
  const der = await build({});
  const { tbs, signatureAlgorithm } = parseCertificate(der).certificate!;
  return sequence(tbs, signatureAlgorithm.der, ...end);
}

/** Returns a certificate whose TBSCertificate has these elements after its key. */
async function withRest(...rest: Uint8Array[]): Promise<Uint8Array> {
  const { tbs, signatureAlgorithm, signature } = parseCertificate(
    await build({}),
  ).certificate!;
  const content = tbs.subarray(tbs[1]! < 0x80 ? 2 : 2 + (tbs[1]! & 0x7f));
  return sequence(
    sequence(content, ...rest),
    signatureAlgorithm.der,
    bitString(signature),
  );
}

const time = (tag: number, text: string): Promise<Uint8Array> => build({ notAfter: tlv(tag, ascii(text)) });
const cn = sequence(oid("2.5.4.3"), utf8("a"));
const attributes = Array.from(
  { length: 201 },
  (_, index) => set(sequence(oid(`1.2.3.${index}`), utf8("a"))),
);
const extensions = Array.from(
  { length: 201 },
  (_, index) => ({ oid: `1.2.3.${index}`, value: tlv(5) }),
);
const unknownKey = (unused: number): Uint8Array =>
  sequence(sequence(oid("1.2.3")), bitString(Uint8Array.of(0x80), unused));

/** `code` is the finding; undefined for none, `refused` if the certificate is not read. */
const CASES: readonly [
  title: string,
  der: Promise<Uint8Array>,
  peers: { openssl: boolean; go: boolean },
  code?: string,
][] = [
  [
    "the year 0000",
    build({ notBefore: tlv(GENERALIZED, ascii("00000101000000Z")) }),
    { openssl: true, go: true },
    "year_zero",
  ],
  ["an end before its beginning", time(UTC, "250101000000Z"), {
    openssl: true,
    go: true,
  }, "validity_inverted"],
  ["a time without seconds", time(UTC, "2701010000Z"), {
    openssl: true,
    go: true,
  }, "time_form"],
  ["a time with an offset", time(UTC, "270101000000+0130"), {
    openssl: true,
    go: true,
  }, "time_form"],
  [
    "a GeneralizedTime with an offset",
    time(GENERALIZED, "20510101000000-0130"),
    { openssl: true, go: true },
    "time_form",
  ],
  ["an offset of 0", time(UTC, "270101000000+0000"), {
    openssl: true,
    go: false,
  }, "refused"],
  ["a GeneralizedTime without seconds", time(GENERALIZED, "205101010000Z"), {
    openssl: true,
    go: false,
  }, "refused"],
  ["a fraction of a second", time(GENERALIZED, "20510101000000.5Z"), {
    openssl: true,
    go: false,
  }, "refused"],
  ["a time without a zone", time(UTC, "270101000000"), {
    openssl: true,
    go: false,
  }, "refused"],
  [
    "month 13",
    time(UTC, "271301000000Z"),
    { openssl: true, go: false },
    "refused",
  ],
  ["an empty relative name", build({ subject: sequence(set(), set(cn)) }), {
    openssl: true,
    go: true,
  }, "empty_rdn"],
  [
    "a relative name that is a SEQUENCE",
    build({ subject: sequence(sequence(cn)) }),
    { openssl: false, go: false },
    "refused",
  ],
  ["201 attributes", build({ subject: sequence(...attributes) }), {
    openssl: true,
    go: true,
  }],
  ["201 extensions", build({ extensions }), { openssl: true, go: true }],
  ["a signature of 511 bits", closedBy(bitString(new Uint8Array(64), 1)), {
    openssl: true,
    go: true,
  }, "signature_bits"],
  [
    "unused bits of the signature set",
    closedBy(bitString(new Uint8Array(64).fill(1), 1)),
    { openssl: true, go: false },
    "refused",
  ],
  [
    "a signature that is an OCTET STRING",
    closedBy(octetString(new Uint8Array(64))),
    { openssl: false, go: false },
    "refused",
  ],
  [
    "an element after the signature",
    closedBy(bitString(new Uint8Array(64)), tlv(5)),
    { openssl: false, go: true },
    "refused",
  ],
  ["an unknown key of 7 bits", build({ spki: unknownKey(1) }), {
    openssl: true,
    go: true,
  }, "malformed_key"],
  [
    "unused bits of the key set",
    build({
      spki: sequence(sequence(oid("1.2.3")), bitString(Uint8Array.of(0x81), 1)),
    }),
    { openssl: true, go: false },
    "refused",
  ],
  [
    "a unique id with unused bits set",
    withRest(tlv(0x81, Uint8Array.of(1, 0x81))),
    { openssl: true, go: true },
    "unique_id_bits",
  ],
  ["a unique id without content", withRest(tlv(0x81)), {
    openssl: false,
    go: true,
  }, "refused"],
  ["an element after the extensions", withRest(tlv(0x84, Uint8Array.of(1))), {
    openssl: false,
    go: true,
  }, "refused"],
  ["version 4", build({ version: 4 }), { openssl: true, go: false }, "refused"],
  ["bytes after it", build({}).then((der) => concat(der, Uint8Array.of(0))), {
    openssl: true,
    go: false,
  }, "refused"],
  [
    "a length that is not minimal",
    build({}).then((der) => concat(Uint8Array.of(0x30, 0x82, 0), der.subarray(2))),
    { openssl: true, go: false },
    "refused",
  ],
  [
    "an algorithm whose NULL has content",
    build({ innerAlgorithm: sequence(oid("1.2.3"), tlv(5, Uint8Array.of(0))) }),
    { openssl: false, go: false },
    "refused",
  ],
  [
    "an object identifier of 200 octets",
    build({
      subject: sequence(
        set(sequence(tlv(6, new Uint8Array(200).fill(1)), utf8("a"))),
      ),
    }),
    { openssl: true, go: true },
  ],
];

async function opensslReads(der: Uint8Array): Promise<boolean> {
  try {
    await openssl(["x509", "-noout"], encodePem(der));
    return true;
  } catch (error) {
    assert.match(String(error), /openssl x509/);
    return false;
  }
}

for (const [title, made, peers, code] of CASES) {
  const both = peers.openssl && peers.go;
  Deno.test(`a certificate with ${title} is ${code === "refused" ? "refused" : "read"}, as by other implementations`, async () => {
    const der = await made;
    assert.equal(await opensslReads(der), peers.openssl);
    const { certificate, findings } = parseCertificate(der);
    assert.equal(
      code !== "refused",
      both,
      "what both read is read, and nothing else",
    );
    assert.equal(certificate !== undefined, both);
    if (!both) return;
    const codes = findings.map((finding) => finding.code).filter((found) => found !== "time_encoding");
    assert.deepEqual(codes, code === undefined ? [] : [code]);
  });
}
