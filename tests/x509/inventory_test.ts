import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describeCertificate } from "../../src/domain/certificates/chain/details.ts";
import { inventoryFields, warningsOf } from "../../src/x509/mod.ts";
import { type CertificateInput, derWriter, ext, otherName, TestCa, testKey } from "../support/test_ca/mod.ts";

const { ascii, integer, nothing, oid, sequence, tlv } = derWriter;

async function made(input: CertificateInput): Promise<TestCa["certificate"]> {
  return (await TestCa.selfSigned({ key: "ed25519", ...input })).certificate;
}

Deno.test("the fields of the inventory have the specified text forms", async () => {
  const ca = await TestCa.root({ key: "ed25519", subject: "C=US, O=Acme\\ Inc, CN=Acme CA" });
  const leaf = await ca.issue({
    subject: "O=Acme, CN=www.acme.example",
    key: "rsa2048",
    serial: Uint8Array.of(0x0a, 0x1b, 0x2c),
    notBefore: "2026-01-02T03:04:05Z",
    notAfter: "2026-12-31T23:59:59Z",
    sans: [
      "www.acme.example",
      "IP:192.0.2.1",
      "email:a@acme.example",
      "URI:https://acme.example",
      "dirName:O=x",
      "RID:1.2.3",
      otherName("1.2.3", "x"),
    ],
  });
  const digest = createHash("sha256").update(leaf.der).digest("hex").toUpperCase().match(/../g)!.join(":");
  assert.deepEqual(inventoryFields(leaf.certificate), {
    common_name: "www.acme.example",
    serial_number: "0A:1B:2C",
    issuer: "C=US, O=Acme\\\\ Inc, CN=Acme CA",
    subject: "O=Acme, CN=www.acme.example",
    valid_from: Date.UTC(2026, 0, 2, 3, 4, 5),
    valid_to: Date.UTC(2026, 11, 31, 23, 59, 59),
    fingerprint_sha256: digest,
    algorithm: "rsa",
    key_size: 2048,
    sans: [
      "www.acme.example",
      "IP:192.0.2.1",
      "email:a@acme.example",
      "URI:https://acme.example",
      "dirName:O=x",
      "RID:1.2.3",
      "otherName:1.2.3:0c0178",
    ],
  });
});

for (
  const [title, input, commonName] of [
    ["the last CN", { subject: "CN=first, CN=second" }, "second"],
    [
      "the first DNS name",
      { subject: "O=Acme", sans: ["IP:192.0.2.1", "a.example", "b.example"] },
      "a.example",
    ],
    ["a DNS name for a blank CN", { subject: [["CN", "  "]], sans: ["a.example"] }, "a.example"],
    ["an IP address", { subject: "O=Acme", sans: ["URI:https://a.example", "IP:192.0.2.1"] }, "192.0.2.1"],
    ["a URI", { subject: "", sans: ["email:a@a.example", "URI:spiffe://a/b"] }, "spiffe://a/b"],
    ["an e-mail address", { subject: "", sans: ["RID:1.2.3", "email:a@a.example"] }, "a@a.example"],
    ["another name", { subject: "", sans: ["RID:1.2.3"] }, "RID:1.2.3"],
    ["the subject", { subject: "O=Acme, OU=Web" }, "O=Acme, OU=Web"],
    ["the serial number", { subject: "", serial: Uint8Array.of(0xfd, 0x94) }, "FD:94"],
    ["the serial number for a blank CN", { subject: [["CN", " "]], serial: Uint8Array.of(1) }, "01"],
    ["an escaped CN", { subject: [["CN", "a\u202eb\u0007"]] }, "a\\u{202E}b\\u{07}"],
  ] as const satisfies readonly [string, CertificateInput, string][]
) {
  Deno.test(`the common name is ${title}`, async () => {
    assert.equal(inventoryFields(await made(input)).common_name, commonName);
  });
}

for (
  const [content, text] of [
    [Uint8Array.of(0x00, 0xa1, 0xb2), "00:A1:B2"],
    [Uint8Array.of(0x05), "05"],
    [Uint8Array.of(0xff), "FF"],
    [new Uint8Array(20).fill(0x7b), Array(20).fill("7B").join(":")],
  ] as const
) {
  Deno.test(`the serial with the octets ${content.toHex()} is ${text}`, async () => {
    assert.equal(inventoryFields(await made({ serial: content })).serial_number, text);
  });
}

Deno.test("a key without a known size has none", async () => {
  const { algorithm, key_size } = inventoryFields(await made({ key: "mldsa44" }));
  assert.deepEqual([algorithm, key_size], ["unknown", null]);
});

Deno.test("the details have every field, as JSON values", async () => {
  const root = await TestCa.root({ cn: "Root", key: "ed25519" });
  const ca = await root.intermediate({
    cn: "CA",
    key: "p256",
    serial: 7,
    pathLength: 1,
    nameConstraints: { permitted: ["example.com", "IP:10.0.0.0/8"], excluded: ["bad.example.com"] },
    extensions: [
      ext.certificatePolicies(["2.23.140.1.2.1", { oid: "1.2.3", cps: "https://cps.example" }]),
      ext.authorityInfoAccess({ ocsp: ["http://ocsp.example"] }),
      ext.crlDistributionPoints(["http://crl.example"]),
      ext.signedTimestamps(2),
      ext.mustStaple(),
      { oid: "1.2.3.4", critical: true, value: nothing() },
    ],
  });
  const details = describeCertificate(ca.certificate);
  assert.deepEqual(JSON.parse(JSON.stringify(details)), details);
  assert.equal(details.serial_number, "07");
  assert.deepEqual(details.subject, {
    text: "CN=CA",
    attributes: [{ name: "CN", oid: "2.5.4.3", value: "CA" }],
  });
  assert.deepEqual([details.valid_from, details.valid_to], ["2020-01-01T00:00:00Z", "2039-12-31T23:59:59Z"]);
  assert.deepEqual({ ...details.public_key, fingerprint_sha256: undefined }, {
    algorithm: "ecdsa",
    name: "ECDSA P-256",
    oid: "1.2.840.10045.2.1",
    key_size: 256,
    curve: "P-256",
    fingerprint_sha256: undefined,
  });
  assert.match(details.public_key.fingerprint_sha256, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.deepEqual(details.signature_algorithm, { name: "Ed25519", oid: "1.3.101.112" });
  assert.match(details.fingerprints.sha1, /^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
  assert.deepEqual(details.basic_constraints, { ca: true, path_length: 1 });
  assert.deepEqual(details.key_usage, ["keyCertSign", "cRLSign"]);
  assert.equal(details.extended_key_usage, null);
  assert.deepEqual(details.name_constraints, {
    permitted: ["example.com", "IP:10.0.0.0/8"],
    excluded: ["bad.example.com"],
  });
  assert.deepEqual(details.certificate_policies, [
    { oid: "2.23.140.1.2.1", name: "domain-validated", qualifiers: [] },
    { oid: "1.2.3", name: "1.2.3", qualifiers: ["CPS: https://cps.example"] },
  ]);
  assert.deepEqual(details.authority_info_access, [{ method: "ocsp", location: "URI:http://ocsp.example" }]);
  assert.deepEqual(details.crl_distribution_points, ["URI:http://crl.example"]);
  assert.deepEqual([details.signed_certificate_timestamps, details.must_staple], [2, true]);
  assert.deepEqual(details.extensions.at(-1), {
    oid: "1.2.3.4",
    name: "1.2.3.4",
    critical: true,
    size: 2,
    malformed: null,
    duplicate: false,
  });
  assert.deepEqual(details.warnings, []);
});

Deno.test("details that a minimal certificate does not have are null or empty", async () => {
  const details = describeCertificate(await made({ subject: "O=x", version: 1 }));
  assert.deepEqual(
    [
      details.sans,
      details.sans_by_kind,
      details.basic_constraints,
      details.key_usage,
      details.name_constraints,
    ],
    [[], {}, null, null, null],
  );
  assert.deepEqual([details.subject_key_id, details.extensions, details.must_staple], [null, [], false]);
});

Deno.test("names are grouped by kind in the details", async () => {
  const details = describeCertificate(
    await made({ cn: "x", sans: ["b.example", "IP:192.0.2.1", "a.example"] }),
  );
  assert.deepEqual(details.sans_by_kind, { dns: ["b.example", "a.example"], ip: ["192.0.2.1"] });
});

const weakCa = await TestCa.root({ cn: "Weak", key: "rsa2048" });

for (
  const [title, certificate, codes] of [
    ["a SHA-1 signature", (await weakCa.issue({ cn: "x", hash: "SHA-1" })).certificate, ["weak_signature"]],
    ["a SHA-1 signature with PSS", (await weakCa.issue({ cn: "x", hash: "SHA-1", pss: true })).certificate, [
      "weak_signature",
    ]],
    ["SHA-256 and P-256", (await weakCa.issue({ cn: "x" })).certificate, []],
    [
      "SHA-1 on a root, where it does not matter",
      (await TestCa.root({ key: "rsa2048", hash: "SHA-1" })).certificate,
      [],
    ],
    ["a short RSA key", (await weakCa.issue({ cn: "x", key: await testKey("rsa1024") })).certificate, [
      "short_key",
    ]],
    [
      "an outer algorithm of another kind",
      await made({ outerAlgorithm: sequence(oid("1.2.3"), integer(1)) }),
      [
        "algorithm_mismatch",
      ],
    ],
    ["a name that is not ASCII", await made({ cn: "x", sans: [tlv(0x82, ascii("\u00e9"))] }), ["odd_name"]],
  ] as const
) {
  Deno.test(`the warnings about ${title} are: ${codes.join(", ") || "none"}`, () => {
    assert.deepEqual(warningsOf(certificate).map(({ code }) => code), codes);
  });
}
