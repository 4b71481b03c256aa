import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  encodePem,
  parseRequest,
  readRequest,
  requestFields,
  type SigningRequest,
  verifySelfSignature,
} from "../../src/x509/mod.ts";
import {
  buildRequest,
  derWriter,
  ext,
  extensionRequest,
  requestAttribute,
  type RequestInput,
  TestCa,
  testKey,
} from "../support/test_ca/mod.ts";

const { bitString, concat, integer, oid, sequence, set, utf8 } = derWriter;

async function made(input: RequestInput = {}): Promise<SigningRequest> {
  const { request, findings } = parseRequest((await buildRequest({ key: "ed25519", ...input })).der);
  assert.ok(request, JSON.stringify(findings));
  return request;
}

for (
  const [title, input, algorithm, size] of [
    ["RSA", { key: "rsa2048" }, "rsa", 2048],
    ["RSA with RSASSA-PSS", { key: "rsa2048", pss: true }, "rsa", 2048],
    ["RSASSA-PSS only", { key: "rsapss2048" }, "rsa", 2048],
    ["P-256", { key: "p256" }, "ecdsa", 256],
    ["P-384", { key: "p384" }, "ecdsa", 384],
    ["P-521", { key: "p521" }, "ecdsa", 521],
    ["Ed25519", { key: "ed25519" }, "ed25519", 256],
    ["ML-DSA-65", { key: "mldsa65" }, "unknown", null],
  ] as const satisfies readonly [string, RequestInput, string, number | null][]
) {
  Deno.test(`a request with a key of the type ${title} is read, and its self-signature verifies, but not with a changed bit`, async () => {
    const request = await made(input);
    const fields = requestFields(request);
    assert.deepEqual([fields.algorithm, fields.key_size], [algorithm, size]);
    assert.deepEqual(await verifySelfSignature(request), { kind: "good" });
    const broken = await made({ ...input, brokenSignature: true });
    assert.equal((await verifySelfSignature(broken)).kind, "bad");
  });
}

Deno.test("a self-signature by an algorithm that is not implemented is unsupported, not bad", async () => {
  const request = await made();
  const strange = {
    ...request,
    signatureAlgorithm: { ...request.signatureAlgorithm, oid: "1.2.3.4", name: "1.2.3.4" },
  };
  assert.equal((await verifySelfSignature(strange)).kind, "unsupported");
});

Deno.test("subject, names and fingerprint have the form of the inventory", async () => {
  const { der } = await buildRequest({
    key: "ed25519",
    subject: "C=DE, ST=Berlin, L=Mitte, O=Acme, OU=Web, OU=Ops, CN=www.acme.example",
    sans: ["www.acme.example", "IP:192.0.2.1"],
  });
  const fields = requestFields(parseRequest(der).request!);
  const digest = createHash("sha256").update(der).digest("hex").toUpperCase();
  assert.deepEqual(fields, {
    common_name: "www.acme.example",
    organization: "Acme",
    organizational_unit: "Web, Ops",
    locality: "Mitte",
    state: "Berlin",
    country: "DE",
    sans: ["www.acme.example", "IP:192.0.2.1"],
    fingerprint_sha256: digest.match(/../g)!.join(":"),
    algorithm: "ed25519",
    key_size: 256,
    subject_string: "C=DE, ST=Berlin, L=Mitte, O=Acme, OU=Web, OU=Ops, CN=www.acme.example",
  });
});

Deno.test("requested extensions are read like a certificate's, malformed ones are marked", async () => {
  const request = await made({
    sans: ["a.example"],
    extensions: [
      ext.keyUsage(["digitalSignature"]),
      ext.rawExtension("extKeyUsage", sequence()),
      { oid: "1.2.3.4", critical: true, value: utf8("x") },
    ],
  });
  assert.deepEqual(request.subjectAltNames.map(({ value }) => value), ["a.example"]);
  assert.deepEqual(request.keyUsage, ["digitalSignature"]);
  assert.deepEqual(request.extensions.map(({ malformed }) => malformed === undefined), [
    true,
    true,
    false,
    true,
  ]);
  assert.deepEqual(request.findings.map(({ code }) => code), ["malformed_extension"]);
});

Deno.test("Microsoft's extension request is read too; of two requests the first one counts", async () => {
  const names = sequence(ext.extension(ext.subjectAltName(["ms.example"])));
  const microsoft = await made({ attributes: [requestAttribute("1.3.6.1.4.1.311.2.1.14", names)] });
  assert.deepEqual(microsoft.subjectAltNames.map(({ value }) => value), ["ms.example"]);
  const second = extensionRequest([ext.subjectAltName(["second.example"])]);
  const both = await made({ sans: ["first.example"], attributes: [second] });
  assert.deepEqual(both.subjectAltNames.map(({ value }) => value), ["first.example"]);
  assert.deepEqual(both.findings.map(({ code }) => code), ["duplicate_attribute"]);
});

Deno.test("a challenge password is reported but its value is not kept", async () => {
  const { request } = parseRequest((await buildRequest({ challengePassword: "s3cret-word" })).der);
  assert.deepEqual(request!.attributes, [{ oid: "1.2.840.113549.1.9.7", name: "challengePassword" }]);
  const { der: _der, info: _info, ...rest } = request!;
  assert.equal(JSON.stringify({ ...rest, fields: requestFields(request!) }).includes("s3cret"), false);
});

Deno.test("attributes may be absent, empty or unknown", async () => {
  for (
    const input of [{}, { withoutAttributes: true }, {
      attributes: [requestAttribute("1.2.3.4", integer(1))],
    }]
  ) {
    const request = await made(input);
    assert.deepEqual([request.extensions, request.findings], [[], []]);
    assert.deepEqual(await verifySelfSignature(request), { kind: "good" });
  }
});

Deno.test("a version other than 1 is read and reported", async () => {
  assert.deepEqual((await made({ version: 2 })).findings.map(({ code }) => code), ["version_mismatch"]);
});

for (
  const [title, attribute] of [
    ["a value that is not a list of extensions", requestAttribute("1.2.840.113549.1.9.14", integer(1))],
    ["two values", sequence(oid("1.2.840.113549.1.9.14"), set(sequence(), sequence()))],
    ["no value", sequence(oid("1.2.840.113549.1.9.14"), set())],
    ["no SET", sequence(oid("1.2.840.113549.1.9.14"), sequence())],
  ] as const
) {
  Deno.test(`an extension request with ${title} is malformed`, async () => {
    const { der } = await buildRequest({ key: "ed25519", attributes: [attribute] });
    assert.deepEqual(parseRequest(der).findings.at(-1)!.code, "malformed");
  });
}

Deno.test("a malformed key is reported, and more than 50 attributes exceed the limit", async () => {
  const key = {
    ...await testKey("ed25519"),
    spki: sequence(sequence(oid("1.3.101.112")), bitString(new Uint8Array(31))),
  };
  assert.deepEqual((await made({ key })).findings.map(({ code }) => code), ["malformed_key"]);
  const attributes = Array<Uint8Array>(51).fill(requestAttribute("1.2.3.4", integer(1)));
  assert.equal((await made({ attributes: attributes.slice(1) })).attributes.length, 50);
  assert.equal(
    parseRequest((await buildRequest({ key: "ed25519", attributes })).der).findings[0]!.code,
    "too_large",
  );
});

Deno.test("requests are read from PEM under both labels and from DER", async () => {
  const { der, pem } = await buildRequest({ key: "ed25519" });
  const inputs = [
    pem,
    `text\n${pem}`,
    encodePem(der, "NEW CERTIFICATE REQUEST"),
    der,
    new TextEncoder().encode(pem),
  ];
  for (const input of inputs) assert.deepEqual(readRequest(input).request?.der, der);
});

Deno.test("input that is not exactly one request is a finding with its position", async () => {
  const { der, pem } = await buildRequest({ key: "ed25519" });
  const certificate = (await TestCa.root({ key: "ed25519" })).pem;
  const cases: [string | Uint8Array, string, number | undefined][] = [
    ["", "no_pem", undefined],
    [`\n${certificate}`, "unexpected_block", 2],
    [`${pem}${pem}`, "unexpected_block", pem.split("\n").length],
    [encodePem(sequence(), "CERTIFICATE REQUEST"), "malformed", 1],
    [encodePem(concat(der, der), "CERTIFICATE REQUEST"), "trailing_data", 1],
    [`${pem}-----BEGIN X-----`, "malformed", pem.split("\n").length],
    [concat(der, Uint8Array.of(0)), "trailing_data", undefined],
    [" ".repeat(2 ** 20 + 1), "too_large", undefined],
    [sequence(new Uint8Array(2 ** 16)), "too_large", undefined],
  ];
  for (const [input, code, line] of cases) {
    const { request, findings } = readRequest(input);
    assert.equal(request, undefined);
    assert.deepEqual([findings[0]!.code, findings[0]!.line], [code, line]);
  }
});
