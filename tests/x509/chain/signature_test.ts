import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign as nodeSign } from "node:crypto";
import { type Certificate, parseCertificate } from "../../../src/x509/mod.ts";
import { type SignatureResult, verifySignature } from "../../../src/x509/chain/mod.ts";
import { bytesOf, contentOf, DerReader, readerOf } from "../../../src/x509/der.ts";
import {
  buildCertificate,
  derWriter,
  ext,
  type KeyKind,
  TEST_NOW,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";
import { assertResult, codes, pure, validate } from "./support.ts";
import vectors from "./signature_vectors.json" with { type: "json" };

const { bitString, integer, octetString, oid, sequence } = derWriter;

function read(base64: string): Certificate {
  const { certificate } = parseCertificate(Uint8Array.fromBase64(base64));
  assert.ok(certificate);
  return certificate;
}

/** Checks a self-signed certificate's signature over its own or other data. */
async function check(certificate: Certificate, data = certificate.tbs): Promise<SignatureResult["kind"]> {
  const { signatureAlgorithm: algorithm, publicKey: key, signature } = certificate;
  return (await verifySignature({ algorithm, key, data, signature })).kind;
}

/** Returns a copy with one bit flipped. */
function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice();
  copy[at]! ^= 1;
  return copy;
}

// Self-signed certificates made by another implementation: OpenSSL 3.0, `openssl req -x509`.
for (const [name, base64] of Object.entries(vectors.good)) {
  pure(
    `OpenSSL's signature by ${name} is good, and bad once a bit of data or signature changes`,
    async () => {
      const certificate = read(base64);
      assert.equal(await check(certificate), "good");
      assert.equal(await check(certificate, flipped(certificate.tbs, 40)), "bad");
      for (const at of [certificate.signature.length - 1, certificate.signature.length >> 1]) {
        const signature = flipped(certificate.signature, at);
        assert.equal(await check({ ...certificate, signature }), "bad");
      }
    },
  );
}

for (const [name, base64] of Object.entries(vectors.unsupported)) {
  pure(`A signature by ${name} cannot be checked, and is reported as neither good nor bad`, async () => {
    const certificate = read(base64);
    assert.equal(await check(certificate), "unsupported");
    assert.equal(await check(certificate, flipped(certificate.tbs, 40)), "unsupported");
    const result = await validate({ leaf: certificate as never, at: certificate.validity.notBefore });
    // A key without a named curve is reported for itself as well as for its signature.
    assert.deepEqual([result.status, ...new Set(codes(result.errors))], [
      "invalid_signature",
      "unsupported_algorithm",
    ]);
  });
}

for (
  const kind of [
    "p256",
    "p384",
    "p521",
    "ed25519",
    "rsa2048",
    "rsapss2048",
    "mldsa44",
    "mldsa65",
    "mldsa87",
  ] as const
) {
  pure(`A chain of ${kind} keys is valid, and invalid_signature when tampered with`, async () => {
    const root = await TestCa.root({ key: kind });
    const leaf = await root.issue({ cn: "a.example" });
    assertResult(await validate({ leaf, pool: [root] }), "valid");
    const broken = await root.issue({ cn: "a.example", brokenSignature: true });
    assertResult(await validate({ leaf: broken, pool: [root] }), "invalid_signature", ["bad_signature"]);
  });
}

pure("SLH-DSA is checked where the runtime has it", async () => {
  const name = "SLH-DSA-SHA2-128f";
  const pair = await crypto.subtle.generateKey({ name }, true, ["sign", "verify"]) as CryptoKeyPair;
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const algorithm = sequence(oid("2.16.840.1.101.3.4.3.21"));
  const der = await selfMade({
    spki,
    algorithm,
    sign: async (tbs) =>
      new Uint8Array(await crypto.subtle.sign({ name }, pair.privateKey, tbs as BufferSource)),
  });
  const { certificate } = parseCertificate(der);
  assert.equal(await check(certificate!), "good");
  assert.equal(await check(certificate!, flipped(certificate!.tbs, 40)), "bad");
});

pure("A key of another kind than the algorithm's makes the signature bad", async () => {
  const kinds: readonly KeyKind[] = ["p256", "rsa2048", "ed25519", "mldsa44"];
  for (const [index, kind] of kinds.entries()) {
    const leaf = (await TestCa.selfSigned({ cn: "a", key: kind })).certificate;
    const other = (await TestCa.selfSigned({ cn: "b", key: kinds[(index + 1) % kinds.length]! })).certificate;
    assert.equal(await check({ ...leaf, publicKey: other.publicKey }), "bad", kind);
  }
});

pure(
  "Malformed ECDSA signatures are bad: trailing bytes, negative or oversized numbers, no DER",
  async () => {
    const { certificate } = await TestCa.selfSigned({ cn: "a", key: "p256" });
    const number = new Uint8Array(40).fill(1);
    for (
      const signature of [
        new Uint8Array(0),
        certificate.signature.subarray(1),
        derWriter.concat(certificate.signature, Uint8Array.of(0)),
        sequence(integer(number), integer(1)),
        sequence(integer(Uint8Array.of(0x80)), integer(1)),
        sequence(integer(1)),
        new Uint8Array(64),
      ]
    ) assert.equal(await check({ ...certificate, signature }), "bad", signature.toHex());
  },
);

pure("RSA identifiers without NULL parameters and X.500's key OID are accepted", async () => {
  const { certificate } = await TestCa.selfSigned({ cn: "a", key: "rsa2048" });
  const { parameters: _, ...bare } = certificate.signatureAlgorithm;
  assert.equal(await check({ ...certificate, signatureAlgorithm: bare }), "good");
  const publicKey = { ...certificate.publicKey, oid: "2.5.8.1.1" };
  assert.equal(await check({ ...certificate, publicKey }), "good");
  const invalid = { ...bare, parameters: sequence() };
  assert.equal(await check({ ...certificate, signatureAlgorithm: invalid }), "bad");
});

pure("An RSA signature of another length than the modulus is bad", async () => {
  const { certificate } = await TestCa.selfSigned({ cn: "a", key: "rsa2048" });
  for (
    const signature of [
      derWriter.concat(Uint8Array.of(0), certificate.signature),
      derWriter.concat(certificate.signature, Uint8Array.of(0)),
      certificate.signature.subarray(1),
      new Uint8Array(0),
    ]
  ) assert.equal(await check({ ...certificate, signature }), "bad");
});

pure("RSASSA-PSS obeys the restrictions of the key", async () => {
  const { signatureAlgorithm, publicKey } = read(vectors.good["rsapssr sha256"]);
  assert.deepEqual(publicKey.parameters, signatureAlgorithm.parameters);
  const { certificate } = await TestCa.selfSigned({ cn: "a", key: "rsapss2048", hash: "SHA-384" });
  assert.equal(await check(certificate), "good");
  const parameters = publicKey.parameters!;
  assert.equal(await check({ ...certificate, publicKey: { ...certificate.publicKey, parameters } }), "bad");
});

pure("An RSASSA-PSS signature without parameters is bad, even where the defaults would fit", async () => {
  const { certificate } = await TestCa.selfSigned({ cn: "a", key: "rsa2048", hash: "SHA-1", pss: true });
  const { parameters: _, ...without } = certificate.signatureAlgorithm;
  assert.equal(await check(certificate), "good");
  assert.equal(
    await check({ ...certificate, signatureAlgorithm: { ...without, parameters: sequence() } }),
    "good",
  );
  assert.equal(await check({ ...certificate, signatureAlgorithm: without }), "bad");
});

pure("A DSA key without parameters takes those of the DSA key that certifies it", async () => {
  const group = newDsaGroup();
  const [top, below] = [dsaKey(group, 12_345n), dsaKey(group, 67_890n)];
  const root = await dsaCertificate({ subject: "Root", issuer: "Root", spki: top.spki, signer: top });
  const middle = await dsaCertificate({
    subject: "CA",
    issuer: "Root",
    spki: below.spkiWithoutGroup,
    signer: top,
  });
  const leaf = await dsaCertificate({ subject: "leaf", issuer: "CA", spki: top.spki, signer: below });
  assertResult(await validate({ leaf, pool: [middle, root] }), "valid");
  assertResult(await validate({ leaf, pool: [middle] }), "invalid_signature", ["unsupported_algorithm"]);
});

/** Returns a self-signed certificate under any algorithm. */
async function selfMade(
  { spki, algorithm, sign }: {
    spki: Uint8Array;
    algorithm: Uint8Array;
    sign: (tbs: Uint8Array) => Promise<Uint8Array>;
  },
): Promise<Uint8Array> {
  return await buildCertificate({
    serial: 1,
    issuer: "Self Made",
    subject: "Self Made",
    notBefore: TEST_NOW,
    notAfter: TEST_NOW,
    spki,
    extensions: [],
    innerAlgorithm: algorithm,
    sign: async (tbs) => ({ algorithm, signature: await sign(tbs) }),
  });
}

/** The DSA parameters p, q and g, as Dss-Parms in DER and as numbers. */
interface DsaGroup {
  readonly der: Uint8Array;
  readonly p: bigint;
  readonly g: bigint;
}

interface DsaKey {
  readonly privateKey: KeyObject;
  readonly spki: Uint8Array;
  readonly spkiWithoutGroup: Uint8Array;
}

const DSA = oid("1.2.840.10040.4.1");
const DSA_WITH_SHA256 = sequence(oid("2.16.840.1.101.3.4.3.2"));

function newDsaGroup(): DsaGroup {
  const { publicKey } = generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 });
  const spki = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
  const algorithm = new DerReader(spki).enter(0x30, "spki").enter(0x30, "algorithm");
  algorithm.next("OID");
  const parameters = algorithm.next("parameters");
  const numbers = readerOf(parameters);
  const [p, , g] = ["p", "q", "g"].map((name) => BigInt(`0x${contentOf(numbers.next(name)).toHex()}`));
  return { der: bytesOf(parameters), p: p!, g: g! };
}

/** Returns the key of a group whose private number is `x`. */
function dsaKey({ der, p, g }: DsaGroup, x: bigint): DsaKey {
  const pkcs8 = sequence(integer(0), sequence(DSA, der), octetString(integer(x)));
  const bits = bitString(integer(power({ base: g, exponent: x, modulus: p })));
  return {
    privateKey: createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" }),
    spki: sequence(sequence(DSA, der), bits),
    spkiWithoutGroup: sequence(sequence(DSA), bits),
  };
}

function power({ base, exponent, modulus }: { base: bigint; exponent: bigint; modulus: bigint }): bigint {
  let result = 1n;
  for (let rest = exponent, square = base; rest > 0n; rest >>= 1n, square = square * square % modulus) {
    if (rest & 1n) result = result * square % modulus;
  }
  return result;
}

async function dsaCertificate(
  { subject, issuer, spki, signer }: { subject: string; issuer: string; spki: Uint8Array; signer: DsaKey },
): Promise<TestCertificate> {
  const der = await buildCertificate({
    serial: 1,
    issuer,
    subject,
    notBefore: TEST_NOW,
    notAfter: TEST_NOW,
    spki,
    extensions: [ext.basicConstraints({ ca: true })],
    innerAlgorithm: DSA_WITH_SHA256,
    sign: (tbs) => {
      const signature = new Uint8Array(nodeSign("sha256", tbs, signer.privateKey));
      return Promise.resolve({ algorithm: DSA_WITH_SHA256, signature });
    },
  });
  return { der } as TestCertificate;
}
