/**
 * Certificates and requests of `@peculiar/x509` are parsed correctly. These fixtures are independent of our own test
 * CA.
 */

import "reflect-metadata";
import assert from "node:assert/strict";
import {
  AuthorityInfoAccessExtension,
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  CertificatePolicyExtension,
  CRLDistributionPointsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import {
  type Certificate,
  inventoryFields,
  parseCertificate,
  parseRequest,
  readRequest,
  requestFields,
  verifySelfSignature,
} from "../../src/x509/mod.ts";
import { validateChain } from "../../src/x509/chain/mod.ts";

type Algorithm = (EcKeyGenParams | RsaHashedKeyGenParams | { name: "Ed25519" }) & { hash?: string };

const RSA = { hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) } as const;
const ALGORITHMS: readonly [
  title: string,
  algorithm: Algorithm,
  key: string,
  size: number,
  signature: string,
][] = [
  ["P-256", { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }, "ecdsa", 256, "ecdsa-with-SHA256"],
  [
    "P-256 with SHA-512",
    { name: "ECDSA", namedCurve: "P-256", hash: "SHA-512" },
    "ecdsa",
    256,
    "ecdsa-with-SHA512",
  ],
  ["P-384", { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" }, "ecdsa", 384, "ecdsa-with-SHA384"],
  ["P-521", { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" }, "ecdsa", 521, "ecdsa-with-SHA512"],
  ["Ed25519", { name: "Ed25519" }, "ed25519", 256, "Ed25519"],
  ["RSA", { name: "RSASSA-PKCS1-v1_5", ...RSA }, "rsa", 2048, "sha256WithRSAEncryption"],
];
const NOT_BEFORE = Date.UTC(2026, 4, 1);
const NOT_AFTER = Date.UTC(2026, 9, 31, 23, 59, 59);
const NOW = Date.UTC(2026, 5, 15);

const keyPairs = new Map<string, Promise<CryptoKeyPair>>();

/** Returns one key pair per algorithm: RSA keys are slow to generate. */
function keysOf(algorithm: Algorithm): Promise<CryptoKeyPair> {
  const name = JSON.stringify(algorithm);
  const made = keyPairs.get(name) ??
    crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
  keyPairs.set(name, made);
  return made;
}

interface Shape {
  readonly algorithm?: Algorithm;
  readonly name?: JsonNameParams;
  readonly serial?: string;
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly extensions?: readonly Extension[];
}

const ED25519: Algorithm = { name: "Ed25519" };

/** Returns a self-signed certificate of the library as our parser reads it, without findings. */
async function generated(shape: Shape): Promise<Certificate> {
  const algorithm = shape.algorithm ?? ED25519;
  const made = await X509CertificateGenerator.createSelfSigned({
    name: new Name(shape.name ?? [{ CN: ["a.example"] }]),
    keys: await keysOf(algorithm),
    signingAlgorithm: algorithm,
    serialNumber: shape.serial ?? "01",
    notBefore: new Date(shape.notBefore ?? NOT_BEFORE),
    notAfter: new Date(shape.notAfter ?? NOT_AFTER),
    // Without extensions, the library writes an empty list, which RFC 5280 does not allow.
    extensions: [...shape.extensions ?? [new BasicConstraintsExtension(false)]],
  }, crypto);
  const { certificate, findings } = parseCertificate(new Uint8Array(made.rawData));
  assert.ok(certificate, JSON.stringify(findings));
  assert.deepEqual(findings, []);
  return certificate;
}

for (const [title, algorithm, key, size, signature] of ALGORITHMS) {
  Deno.test(`a generated certificate with a key of the type ${title} is read, and its own signature verifies`, async () => {
    const certificate = await generated({
      algorithm,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        await SubjectKeyIdentifierExtension.create((await keysOf(algorithm)).publicKey),
      ],
    });
    const { publicKey, signatureAlgorithm } = certificate;
    assert.deepEqual([publicKey.algorithm, publicKey.sizeBits, signatureAlgorithm.name], [
      key,
      size,
      signature,
    ]);
    const { status } = await validateChain({ leaf: certificate, pool: [], anchors: [], at: NOW });
    assert.equal(status, "self_signed");
  });

  Deno.test(`a generated request with a key of the type ${title} is read, and its signature verifies`, async () => {
    const made = await Pkcs10CertificateRequestGenerator.create({
      name: [{ O: ["Example"] }, { CN: ["a.example"] }],
      keys: await keysOf(algorithm),
      signingAlgorithm: algorithm,
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: "a.example" }])],
    }, crypto);
    const { request, findings } = parseRequest(new Uint8Array(made.rawData));
    assert.ok(request, JSON.stringify(findings));
    const fields = requestFields(request);
    assert.deepEqual(
      [fields.common_name, fields.sans, fields.algorithm, fields.key_size, findings],
      ["a.example", ["a.example"], key, size, []],
    );
    assert.deepEqual(await verifySelfSignature(request), { kind: "good" });
    assert.deepEqual(readRequest(made.toString("pem")).request?.der, request.der);
  });
}

const NAMES: readonly [title: string, name: JsonNameParams, text: string][] = [
  ["no attribute", [], ""],
  ["one attribute", [{ CN: ["a"] }], "CN=a"],
  [
    "attributes in their order",
    [{ C: ["DE"] }, { O: ["Example"] }, { OU: ["Web"] }, { CN: ["a"] }],
    "C=DE, O=Example, OU=Web, CN=a",
  ],
  ["two values of one type", [{ OU: ["Web"] }, { OU: ["Ops"] }], "OU=Web, OU=Ops"],
  [
    "characters to escape",
    [{ O: [{ utf8String: '#A, "B" + C; <D>\\' }] }],
    'O=\\#A\\, \\"B\\" \\+ C\\; \\<D\\>\\\\',
  ],
  ["letters beyond ASCII", [{ O: ["Zürich Straße 日本 😀"] }], "O=Zürich Straße 日本 😀"],
  ["domain components", [{ DC: ["example"] }, { DC: ["www"] }], "DC=example, DC=www"],
];

for (const [title, name, text] of NAMES) {
  Deno.test(`a generated name is read: ${title}`, async () => {
    const { subject, issuer } = await generated({ name });
    assert.deepEqual([subject.text, issuer.text], [text, text]);
  });
}

for (
  const serial of ["01", "7f", "80", "ff", "0100", "7fffffffffffffffffffffffffffffffffffffff", "deadbeef"]
) {
  Deno.test(`a generated serial number is read: ${serial}`, async () => {
    const certificate = await generated({ serial });
    assert.equal(BigInt(`0x${certificate.serial.toHex()}`), BigInt(`0x${serial}`));
    const shown = inventoryFields(certificate).serial_number.replaceAll(":", "");
    assert.equal(BigInt(`0x${shown}`), BigInt(`0x${serial}`));
  });
}

const TIMES: readonly [title: string, notBefore: number, notAfter: number][] = [
  ["the last second of UTCTime", Date.UTC(2000, 0, 1), Date.UTC(2049, 11, 31, 23, 59, 59)],
  ["the first second of GeneralizedTime", Date.UTC(2026, 0, 1), Date.UTC(2050, 0, 1)],
  ["a leap day", Date.UTC(2028, 1, 29), Date.UTC(2096, 1, 29, 12, 34, 56)],
  ["the first year of UTCTime", Date.UTC(1950, 0, 1), Date.UTC(1999, 11, 31)],
];

for (const [title, notBefore, notAfter] of TIMES) {
  Deno.test(`a generated validity is read: ${title}`, async () => {
    assert.deepEqual((await generated({ notBefore, notAfter })).validity, { notBefore, notAfter });
  });
}

const SANS: readonly [name: JsonGeneralName, read: string][] = [
  [{ type: "dns", value: "*.example.com" }, "dns *.example.com"],
  [{ type: "ip", value: "192.0.2.10" }, "ip 192.0.2.10"],
  [{ type: "ip", value: "2001:db8::10" }, "ip 2001:db8::10"],
  [{ type: "email", value: "a@example.com" }, "email a@example.com"],
  [{ type: "url", value: "https://example.com/?a=b" }, "uri https://example.com/?a=b"],
  [{ type: "dn", value: "CN=x, O=y" }, "directory CN=x, O=y"],
  [{ type: "id", value: "1.2.3.4" }, "registered_id 1.2.3.4"],
];

for (const [name, text] of SANS) {
  Deno.test(`a generated alternative name is read: ${text}`, async () => {
    const { subjectAltNames } = await generated({
      extensions: [new SubjectAlternativeNameExtension([name])],
    });
    assert.deepEqual(subjectAltNames.map(({ kind, value }) => `${kind} ${value}`), [text]);
  });
}

Deno.test("generated extensions are read one by one", async () => {
  const keyId = "0102030405060708090a0b0c0d0e0f1011121314";
  const certificate = await generated({
    extensions: [
      new BasicConstraintsExtension(true, 3, true),
      new KeyUsagesExtension(
        KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.decipherOnly,
        true,
      ),
      new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "1.2.3.4"]),
      new SubjectKeyIdentifierExtension(keyId),
      new AuthorityKeyIdentifierExtension(keyId),
      new CertificatePolicyExtension(["2.23.140.1.2.1", "1.2.3.4.5"]),
      new CRLDistributionPointsExtension(["http://example.com/a.crl"]),
      new AuthorityInfoAccessExtension({
        ocsp: "http://example.com/ocsp",
        caIssuers: "http://example.com/ca.der",
      }),
    ],
  });
  assert.deepEqual(certificate.basicConstraints, { ca: true, pathLength: 3 });
  assert.deepEqual(certificate.keyUsage, ["keyCertSign", "cRLSign", "decipherOnly"]);
  assert.deepEqual(certificate.extendedKeyUsage, ["serverAuth", "clientAuth", "1.2.3.4"]);
  assert.equal(certificate.subjectKeyId?.toHex(), keyId);
  assert.equal(certificate.authorityKeyId?.toHex(), keyId);
  assert.deepEqual(certificate.certificatePolicies?.map(({ oid }) => oid), ["2.23.140.1.2.1", "1.2.3.4.5"]);
  assert.deepEqual(
    certificate.crlDistributionPoints?.flatMap(({ names }) => names.map(({ value }) => value)),
    [
      "http://example.com/a.crl",
    ],
  );
  assert.deepEqual(
    certificate.authorityInfoAccess?.map(({ method, location }) => `${method} ${location.value}`),
    [
      "ocsp http://example.com/ocsp",
      "caIssuers http://example.com/ca.der",
    ],
  );
});

Deno.test("a generated chain of a root, an intermediate and a leaf is valid", async () => {
  const [root, intermediate, leaf] = ALGORITHMS.map(([, algorithm]) => algorithm).slice(2, 5) as [
    Algorithm,
    Algorithm,
    Algorithm,
  ];
  const keys = await Promise.all([root, intermediate, leaf].map(keysOf)) as [
    CryptoKeyPair,
    CryptoKeyPair,
    CryptoKeyPair,
  ];
  const dates = { notBefore: new Date(NOT_BEFORE), notAfter: new Date(NOT_AFTER) };
  const authority = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
  ];
  const made = [
    await X509CertificateGenerator.create({
      ...dates,
      ...{ serialNumber: "01", subject: "CN=Root", issuer: "CN=Root", extensions: authority },
      ...{ publicKey: keys[0].publicKey, signingKey: keys[0].privateKey, signingAlgorithm: root },
    }, crypto),
    await X509CertificateGenerator.create({
      ...dates,
      ...{ serialNumber: "02", subject: "CN=Intermediate", issuer: "CN=Root", extensions: authority },
      ...{ publicKey: keys[1].publicKey, signingKey: keys[0].privateKey, signingAlgorithm: root },
    }, crypto),
    await X509CertificateGenerator.create({
      ...dates,
      ...{ serialNumber: "03", subject: "CN=leaf.example", issuer: "CN=Intermediate" },
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: "leaf.example" }])],
      ...{ publicKey: keys[2].publicKey, signingKey: keys[1].privateKey, signingAlgorithm: intermediate },
    }, crypto),
  ].map(({ rawData }) => parseCertificate(new Uint8Array(rawData)).certificate as Certificate);
  const [anchor, above, own] = made as [Certificate, Certificate, Certificate];
  const result = await validateChain({ leaf: own, pool: [anchor, above], anchors: [], at: NOW });
  assert.deepEqual([result.status, result.isValid], ["valid", true], JSON.stringify(result.errors));
});
