/** The details of a stored certificate: every extension, and names with misleading characters. */

import assert from "node:assert/strict";
import { testApp } from "../../../support/app.ts";
import { certificate } from "../../../support/paths.ts";
import { storeCertificates } from "../../../support/stored.ts";
import { ext, TestCa } from "../../../support/test_ca/mod.ts";

const root = await TestCa.root({ subject: "C=US, O=Details, CN=Details Root" });

// deno-lint-ignore no-explicit-any -- what a test looks at is what it says
async function describe(pem: string): Promise<any> {
  await using app = await testApp();
  const client = await app.as("superuser");
  const [id] = await storeCertificates(app, [{ pem_content: pem }]) as [number];
  const response = await client(certificate(id, "details/"));
  assert.equal(response.status, 200);
  return await response.json();
}

Deno.test("every extension of a certificate is in its description", async () => {
  const ca = await root.intermediate({
    subject: "C=US, O=Details, CN=All Extensions",
    serial: "00FF01",
    pathLength: 1,
    keyUsage: ["keyCertSign", "cRLSign", "digitalSignature"],
    extendedKeyUsage: ["serverAuth", "clientAuth"],
    sans: ["all.example", "IP:192.0.2.9", "email:a@all.example", "URI:https://all.example/"],
    nameConstraints: { permitted: ["all.example"], excluded: ["IP:10.0.0.0/8"] },
    extensions: [
      ext.certificatePolicies([{ oid: "2.23.140.1.2.1", cps: "https://all.example/cps" }, "1.2.3.4"]),
      ext.authorityInfoAccess({
        ocsp: ["http://ocsp.all.example"],
        caIssuers: ["http://ca.all.example/ca.cer"],
      }),
      ext.crlDistributionPoints(["http://crl.all.example/1.crl"]),
      ext.signedTimestamps(2),
      ext.mustStaple(),
      { oid: "1.2.3.4.5", critical: true, value: Uint8Array.of(5, 0) },
    ],
  });
  const details = await describe(ca.pem);
  const { subject, issuer, public_key, fingerprints, extensions, warnings, ...rest } = details;
  assert.equal(subject.text, "C=US, O=Details, CN=All Extensions");
  assert.deepEqual(subject.attributes.at(-1), { name: "CN", oid: "2.5.4.3", value: "All Extensions" });
  assert.equal(issuer.text, "C=US, O=Details, CN=Details Root");
  assert.deepEqual([public_key.name, public_key.key_size, public_key.curve], ["ECDSA P-256", 256, "P-256"]);
  assert.match(fingerprints.sha1, /^(?:[0-9A-F]{2}:){19}[0-9A-F]{2}$/);
  assert.deepEqual(rest, {
    version: 3,
    common_name: "All Extensions",
    serial_number: "00:FF:01",
    valid_from: "2020-01-01T00:00:00Z",
    valid_to: "2039-12-31T23:59:59Z",
    signature_algorithm: { name: "ecdsa-with-SHA256", oid: "1.2.840.10045.4.3.2" },
    sans: ["all.example", "IP:192.0.2.9", "email:a@all.example", "URI:https://all.example/"],
    sans_by_kind: {
      dns: ["all.example"],
      ip: ["192.0.2.9"],
      email: ["a@all.example"],
      uri: ["https://all.example/"],
    },
    basic_constraints: { ca: true, path_length: 1 },
    key_usage: ["digitalSignature", "keyCertSign", "cRLSign"],
    extended_key_usage: ["serverAuth", "clientAuth"],
    name_constraints: { permitted: ["all.example"], excluded: ["IP:10.0.0.0/8"] },
    subject_key_id: rest.subject_key_id,
    authority_key_id: rest.authority_key_id,
    certificate_policies: [
      {
        oid: "2.23.140.1.2.1",
        name: rest.certificate_policies[0].name,
        qualifiers: ["CPS: https://all.example/cps"],
      },
      { oid: "1.2.3.4", name: "1.2.3.4", qualifiers: [] },
    ],
    policy_constraints: {
      require_explicit_policy: null,
      inhibit_policy_mapping: null,
      inhibit_any_policy: null,
    },
    authority_info_access: rest.authority_info_access,
    subject_info_access: [],
    crl_distribution_points: ["URI:http://crl.all.example/1.crl"],
    signed_certificate_timestamps: 2,
    must_staple: true,
  });
  assert.deepEqual(rest.authority_info_access.map((one: { location: string }) => one.location), [
    "URI:http://ocsp.all.example",
    "URI:http://ca.all.example/ca.cer",
  ]);
  for (const id of [rest.subject_key_id, rest.authority_key_id]) assert.match(id, /^(?:[0-9A-F]{2}:){19}/);
  assert.deepEqual(extensions.find((one: { oid: string }) => one.oid === "1.2.3.4.5"), {
    oid: "1.2.3.4.5",
    name: "1.2.3.4.5",
    critical: true,
    size: 2,
    malformed: null,
    duplicate: false,
  });
  assert.equal(extensions.length, 13);
  assert.deepEqual(warnings, []);
});

Deno.test("control and bidirectional characters in names are shown escaped", async () => {
  const leaf = await root.issue({
    subject: "O=evil\u001b[31m\u202egnp.exe, CN=bidi.example",
    sans: ["bidi.example"],
  });
  const details = await describe(leaf.pem);
  assert.equal(details.subject.text, "O=evil\\u{1B}[31m\\u{202E}gnp.exe, CN=bidi.example");
  for (const text of texts(details)) assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
});

/** Returns every text anywhere in a value. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}
