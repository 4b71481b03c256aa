import assert from "node:assert/strict";
import { parseCertificate, type PublicKeyInfo } from "../../src/x509/mod.ts";
import { derWriter, type KeyKind, newKey, TestCa, testKey } from "../support/test_ca/mod.ts";

const { bitString, concat, integer, nothing, octetString, oid, sequence } = derWriter;

async function keyOf(spki: Uint8Array): Promise<{ publicKey: PublicKeyInfo | undefined; codes: string[] }> {
  const { der } = await TestCa.selfSigned({ key: "ed25519", spki });
  const { certificate, findings } = parseCertificate(der);
  return { publicKey: certificate?.publicKey, codes: findings.map(({ code }) => code) };
}

for (
  const [kind, algorithm, name, sizeBits, curve] of [
    ["rsa2048", "rsa", "RSA", 2048, undefined],
    ["rsa1024", "rsa", "RSA", 1024, undefined],
    ["rsapss2048", "rsa", "RSA-PSS", 2048, undefined],
    ["p256", "ecdsa", "ECDSA P-256", 256, "P-256"],
    ["p384", "ecdsa", "ECDSA P-384", 384, "P-384"],
    ["p521", "ecdsa", "ECDSA P-521", 521, "P-521"],
    ["ed25519", "ed25519", "Ed25519", 256, undefined],
    ["mldsa65", "unknown", "ML-DSA-65", undefined, undefined],
  ] as const satisfies readonly (readonly [KeyKind, string, string, number | undefined, string | undefined])[]
) {
  Deno.test(`a key of the type ${name} has its name and ${sizeBits ?? "no"} bits`, async () => {
    const { publicKey, codes } = await keyOf((await testKey(kind)).spki);
    assert.deepEqual(
      [publicKey?.algorithm, publicKey?.name, publicKey?.sizeBits, publicKey?.curve, publicKey?.malformed],
      [algorithm, name, sizeBits, curve, undefined],
    );
    assert.deepEqual(codes, []);
  });
}

/** Returns an RSA key with this modulus content. */
function rsa(
  modulus: Uint8Array,
  exponent: number | Uint8Array = 65_537,
  type = "1.2.840.113549.1.1.1",
): Uint8Array {
  const key = sequence(integer(modulus), integer(exponent));
  return sequence(sequence(oid(type), nothing()), bitString(key));
}

Deno.test("an RSA modulus is measured in bits, not in whole bytes", async () => {
  const modulus = new Uint8Array(256).fill(0x55);
  modulus[0] = 0x01;
  assert.equal((await keyOf(rsa(modulus))).publicKey?.sizeBits, 2041);
  modulus[0] = 0x7f;
  assert.equal((await keyOf(rsa(modulus))).publicKey?.sizeBits, 2047);
  assert.equal((await keyOf(rsa(concat(Uint8Array.of(0, 0x80), modulus)))).publicKey?.sizeBits, 2056);
});

Deno.test("X.500's OID for RSA and absent parameters are RSA as well", async () => {
  const modulus = new Uint8Array(256).fill(0x55);
  assert.equal((await keyOf(rsa(modulus, 3, "2.5.8.1.1"))).publicKey?.algorithm, "rsa");
  const bare = sequence(
    sequence(oid("1.2.840.113549.1.1.1")),
    bitString(sequence(integer(modulus), integer(3))),
  );
  const { publicKey } = await keyOf(bare);
  assert.deepEqual([publicKey?.algorithm, publicKey?.parameters], ["rsa", undefined]);
});

const EC = "1.2.840.10045.2.1";
const P256 = oid("1.2.840.10045.3.1.7");
const POINT = concat(Uint8Array.of(4), new Uint8Array(64));

for (
  const [title, spki] of [
    [
      "an RSA key that is not a SEQUENCE",
      sequence(sequence(oid("1.2.840.113549.1.1.1")), bitString(octetString(POINT))),
    ],
    ["an RSA key with a negative modulus", rsa(new Uint8Array(256).fill(0xaa))],
    [
      "an RSA key with a third number",
      sequence(
        sequence(oid("1.2.840.113549.1.1.1")),
        bitString(sequence(integer(5), integer(3), integer(1))),
      ),
    ],
    [
      "a curve with explicit parameters",
      sequence(sequence(oid(EC), sequence(integer(1))), bitString(POINT)),
    ],
    ["a curve without parameters", sequence(sequence(oid(EC)), bitString(POINT))],
    ["a point of the wrong length", sequence(sequence(oid(EC), P256), bitString(POINT.subarray(1)))],
    ["a point at infinity", sequence(sequence(oid(EC), P256), bitString(Uint8Array.of(0)))],
    ["a curve with an invalid OID", sequence(sequence(oid(EC), Uint8Array.of(6, 1, 0x80)), bitString(POINT))],
    [
      "a DSA key whose p is not a number",
      sequence(sequence(oid("1.2.840.10040.4.1"), sequence(nothing())), bitString(POINT)),
    ],
    ["an Ed25519 key of 31 bytes", sequence(sequence(oid("1.3.101.112")), bitString(new Uint8Array(31)))],
  ] as const
) {
  Deno.test(`${title} is malformed, and the certificate is still read`, async () => {
    const { publicKey, codes } = await keyOf(spki);
    assert.equal(typeof publicKey?.malformed, "string");
    assert.deepEqual(codes, ["malformed_key"]);
  });
}

Deno.test("compressed points and curves that the runtime lacks are shown", async () => {
  const compressed = await keyOf(
    sequence(sequence(oid(EC), P256), bitString(POINT.with(0, 2).subarray(0, 33))),
  );
  assert.deepEqual([compressed.publicKey?.sizeBits, compressed.publicKey?.malformed], [256, undefined]);
  const brainpool = sequence(sequence(oid(EC), oid("1.3.36.3.3.2.8.1.1.7")), bitString(POINT));
  assert.equal((await keyOf(brainpool)).publicKey?.name, "ECDSA brainpoolP256r1");
  const strange = (await keyOf(sequence(sequence(oid(EC), oid("1.2.3.4")), bitString(POINT)))).publicKey;
  assert.deepEqual([strange?.algorithm, strange?.curve, strange?.sizeBits], ["ecdsa", "1.2.3.4", undefined]);
});

Deno.test("DSA keys are measured by p; other algorithms are unknown under their own name", async () => {
  const p = 2n ** 1023n + 1n;
  const dsa = sequence(oid("1.2.840.10040.4.1"), sequence(integer(p), integer(5), integer(7)));
  const key = (await keyOf(sequence(dsa, bitString(integer(3))))).publicKey;
  assert.deepEqual([key?.algorithm, key?.name, key?.sizeBits], ["unknown", "DSA", 1024]);
  const inherited =
    (await keyOf(sequence(sequence(oid("1.2.840.10040.4.1")), bitString(integer(3))))).publicKey;
  assert.deepEqual([inherited?.name, inherited?.sizeBits, inherited?.malformed], [
    "DSA",
    undefined,
    undefined,
  ]);
  const oaep = (await keyOf(rsa(new Uint8Array(256).fill(0x55), 3, "1.2.840.113549.1.1.7"))).publicKey;
  assert.deepEqual([oaep?.algorithm, oaep?.name, oaep?.sizeBits], ["rsa", "RSA-OAEP", 2047]);
  const other = (await keyOf(sequence(sequence(oid("1.2.3.4")), bitString(POINT)))).publicKey;
  assert.deepEqual([other?.algorithm, other?.name, other?.sizeBits], ["unknown", "1.2.3.4", undefined]);
});

for (
  const [kind, options, name] of [
    ["rsa2048", {}, "sha256WithRSAEncryption"],
    ["rsa2048", { hash: "SHA-1" }, "sha1WithRSAEncryption"],
    ["rsa2048", { hash: "SHA-384", pss: true }, "RSA-PSS SHA-384"],
    ["rsapss2048", {}, "RSA-PSS SHA-256"],
    ["p256", {}, "ecdsa-with-SHA256"],
    ["p521", {}, "ecdsa-with-SHA512"],
    ["ed25519", {}, "Ed25519"],
    ["mldsa44", {}, "ML-DSA-44"],
  ] as const
) {
  Deno.test(`a signature by a ${kind} key with ${JSON.stringify(options)} has the name ${name}`, async () => {
    const key = kind === "rsa2048" || kind === "rsapss2048" ? await testKey(kind) : await newKey(kind);
    const { certificate } = await TestCa.selfSigned({ key, ...options });
    assert.equal(certificate.signatureAlgorithm.name, name);
  });
}

Deno.test("invalid RSASSA-PSS parameters leave the name without a hash", async () => {
  const invalid = sequence(oid("1.2.840.113549.1.1.10"), integer(1));
  const { certificate } = await TestCa.selfSigned({ key: "ed25519", innerAlgorithm: invalid });
  assert.equal(certificate.tbsSignatureAlgorithm.name, "RSA-PSS");
  assert.deepEqual(certificate.findings.map(({ code }) => code), ["malformed_algorithm"]);
  const bare = sequence(oid("1.2.840.113549.1.1.10"));
  const plain = await TestCa.selfSigned({ key: "ed25519", innerAlgorithm: bare });
  assert.equal(plain.certificate.tbsSignatureAlgorithm.name, "RSA-PSS SHA-1");
});

const point = bitString(new Uint8Array(5).fill(4));
const prime239 = new Uint8Array(30).fill(0x7f);
for (
  const [type, parameters, name, sizeBits] of [
    ["1.2.840.10045.2.1", [oid("1.2.840.10045.3.1.4")], "ECDSA prime239v1", 239],
    ["1.2.840.10045.2.1", [oid("1.2.156.10197.1.301")], "SM2", 256],
    [
      "1.2.840.10045.2.1",
      [sequence(integer(1), sequence(oid("1.2.840.10045.1.1"), integer(prime239)))],
      "ECDSA with explicit curve parameters",
      239,
    ],
    [
      "1.2.840.10045.2.1",
      [sequence(integer(1), sequence(oid("1.2.840.10045.1.2"), sequence(integer(163))))],
      "ECDSA with explicit curve parameters",
      163,
    ],
    ["1.2.840.10045.2.1", [sequence(integer(1))], "ECDSA with explicit curve parameters", undefined],
    ["1.2.840.10046.2.1", [sequence(integer(prime239), integer(2), integer(3))], "DH", 239],
    ["1.2.840.113549.1.3.1", [sequence(integer(prime239), integer(2))], "DH", 239],
    ["1.3.6.1.5.5.7.6.37", [], "MLDSA44-RSA2048-PSS-SHA256", undefined],
    ["1.3.6.1.5.5.7.6.47", [], "MLDSA65-ECDSA-brainpoolP256r1-SHA512", undefined],
    ["1.3.6.1.5.5.7.6.54", [], "MLDSA87-ECDSA-P521-SHA512", undefined],
    ["2.16.840.1.101.3.4.3.32", [], "HashML-DSA-44-SHA512", undefined],
    ["2.16.840.1.101.3.4.3.35", [], "HashSLH-DSA-SHA2-128s-SHA256", undefined],
    ["2.16.840.1.101.3.4.3.46", [], "HashSLH-DSA-SHAKE-256f-SHAKE256", undefined],
    ["1.2.840.113549.1.9.16.3.17", [], "HSS/LMS", undefined],
    ["1.3.6.1.5.5.7.6.34", [], "XMSS", undefined],
    ["1.3.6.1.5.5.7.6.35", [], "XMSS^MT", undefined],
  ] as const
) {
  Deno.test(`a key with the OID ${type} is ${name}${sizeBits === undefined ? "" : ` of ${sizeBits} bits`}`, async () => {
    const { publicKey } = await keyOf(sequence(sequence(oid(type), ...parameters), point));
    assert.deepEqual([publicKey?.name, publicKey?.sizeBits], [name, sizeBits]);
  });
}

Deno.test("a signature by an algorithm that is only named has its name", async () => {
  const algorithm = sequence(oid("1.3.6.1.5.5.7.6.49"));
  const { certificate } = await TestCa.selfSigned({
    key: "ed25519",
    innerAlgorithm: algorithm,
    outerAlgorithm: algorithm,
  });
  assert.equal(certificate.signatureAlgorithm.name, "MLDSA87-ECDSA-P384-SHA512");
});
