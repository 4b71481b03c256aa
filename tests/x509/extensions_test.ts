import assert from "node:assert/strict";
import { derWriter, ext, generalName, otherName } from "../support/test_ca/mod.ts";
import { read } from "./extension_support.ts";

const { ascii, boolean, explicit, implicit, integer, namedBits, oid, sequence, tlv, utf8 } = derWriter;

Deno.test("subject alternative names of every kind are read in order", async () => {
  const { subjectAltNames, findings } = await read(ext.subjectAltName([
    "www.example.com",
    "*.example.com",
    "IP:192.0.2.1",
    "IP:2001:db8::1",
    "email:a@example.com",
    "URI:https://example.com/x",
    "dirName:C=US, O=Acme\\, Inc",
    otherName("1.3.6.1.4.1.311.20.2.3", "user@example.com"),
    "RID:1.2.3.4",
    tlv(0xa3, tlv(0x30)),
    tlv(0xa5, explicit(1, utf8("x"))),
  ]));
  assert.deepEqual(findings, []);
  assert.deepEqual(subjectAltNames.map(({ kind, value }) => `${kind} ${value}`), [
    "dns www.example.com",
    "dns *.example.com",
    "ip 192.0.2.1",
    "ip 2001:db8::1",
    "email a@example.com",
    "uri https://example.com/x",
    "directory C=US, O=Acme\\\\\\, Inc",
    `other 1.3.6.1.4.1.311.20.2.3:${utf8("user@example.com").toHex()}`,
    "registered_id 1.2.3.4",
    "x400 3000",
    "edi a1030c0178",
  ]);
  assert.equal(subjectAltNames[6]!.directoryName!.rdns.length, 2);
  assert.equal(subjectAltNames[7]!.oid, "1.3.6.1.4.1.311.20.2.3");
  assert.equal(subjectAltNames[2]!.content, String.fromCharCode(192, 0, 2, 1));
});

for (
  const [hex, text] of [
    ["00000000000000000000000000000000", "::"],
    ["00000000000000000000000000000001", "::1"],
    ["20010db8000000000000000000000000", "2001:db8::"],
    ["20010db8000000010000000000000001", "2001:db8:0:1::1"],
    ["00010000000200000003000000040005", "1:0:2:0:3:0:4:5"],
    ["00000000000100000000000000010000", "0:0:1::1:0"],
    ["fe80000000000000020000fffe000001", "fe80::200:ff:fe00:1"],
  ] as const
) {
  Deno.test(`the IPv6 address ${hex} is written ${text} (RFC 5952)`, async () => {
    const { subjectAltNames } = await read(ext.subjectAltName([tlv(0x87, Uint8Array.fromHex(hex))]));
    assert.equal(subjectAltNames[0]!.value, text);
  });
}

Deno.test("a name with control characters is shown escaped, its bytes are kept", async () => {
  const { subjectAltNames } = await read(
    ext.subjectAltName([tlv(0x82, ascii("good.example\0.evil.example"))]),
  );
  assert.equal(subjectAltNames[0]!.value, "good.example\\u{00}.evil.example");
  assert.equal(subjectAltNames[0]!.content.length, 26);
});

Deno.test("a name that is not ASCII is read and reported", async () => {
  const { subjectAltNames, findings, extensions } = await read(ext.subjectAltName(["bücher.example"]));
  assert.equal(subjectAltNames[0]!.value, "bücher.example");
  assert.deepEqual(findings.map(({ code }) => code), ["odd_name"]);
  assert.equal(extensions[0]!.malformed, undefined);
});

Deno.test("basicConstraints have CA and path length", async () => {
  assert.deepEqual((await read(ext.basicConstraints({ ca: false }))).basicConstraints, { ca: false });
  assert.deepEqual((await read(ext.basicConstraints({ ca: true }))).basicConstraints, { ca: true });
  const limited = await read(ext.basicConstraints({ ca: true, pathLength: 0 }));
  assert.deepEqual(limited.basicConstraints, { ca: true, pathLength: 0 });
  assert.equal(limited.extensions[0]!.critical, true);
  const spelled = await read(ext.rawExtension("basicConstraints", sequence(boolean(false))));
  assert.deepEqual(spelled.basicConstraints, { ca: false });
});

Deno.test("keyUsage has the names of its bits, also beyond the first octet", async () => {
  const all = await read(ext.rawExtension("keyUsage", namedBits([0, 1, 2, 3, 4, 5, 6, 7, 8])));
  assert.deepEqual(all.keyUsage, [
    "digitalSignature",
    "nonRepudiation",
    "keyEncipherment",
    "dataEncipherment",
    "keyAgreement",
    "keyCertSign",
    "cRLSign",
    "encipherOnly",
    "decipherOnly",
  ]);
  const none = await read(ext.keyUsage([]));
  assert.deepEqual([none.keyUsage, none.findings[0]!.code], [[], "empty_key_usage"]);
});

Deno.test("extended key usages have names or OIDs", async () => {
  const { extendedKeyUsage } = await read(
    ext.extendedKeyUsage(["serverAuth", "anyExtendedKeyUsage", "1.2.3.4"]),
  );
  assert.deepEqual(extendedKeyUsage, ["serverAuth", "anyExtendedKeyUsage", "1.2.3.4"]);
});

Deno.test("key identifiers are read with all their parts", async () => {
  const certificate = await read(
    ext.subjectKeyIdentifier(Uint8Array.of(1, 2)),
    ext.authorityKeyIdentifier({ keyId: Uint8Array.of(3, 4), issuer: "dirName:CN=Root", serial: 0xff }),
  );
  assert.equal(certificate.subjectKeyId!.toHex(), "0102");
  assert.equal(certificate.authorityKeyId!.toHex(), "0304");
  assert.equal(certificate.authorityCertIssuer![0]!.value, "CN=Root");
  assert.equal(certificate.authorityCertSerial!.toHex(), "00ff");
  const bare = await read(ext.authorityKeyIdentifier({}));
  assert.deepEqual([bare.authorityKeyId, bare.extensions[0]!.malformed], [undefined, undefined]);
});

Deno.test("name constraints keep both lists, with ranges of addresses", async () => {
  const { nameConstraints } = await read(ext.nameConstraints({
    permitted: ["example.com", "IP:10.0.0.0/8", "IP:2001:db8::/32", "dirName:O=Acme", "email:@example.com"],
    excluded: ["bad.example.com", "URI:.example.com"],
  }));
  assert.deepEqual(nameConstraints!.permitted.map(({ kind, value }) => `${kind} ${value}`), [
    "dns example.com",
    "ip 10.0.0.0/8",
    "ip 2001:db8::/32",
    "directory O=Acme",
    "email @example.com",
  ]);
  assert.deepEqual(nameConstraints!.excluded.map(({ value }) => value), [
    "bad.example.com",
    ".example.com",
  ]);
  assert.equal(nameConstraints!.permitted[1]!.content.length, 8);
  const spelled = sequence(explicit(0, sequence(generalName("a.example"), implicit(0, Uint8Array.of(0)))));
  const [base] = (await read(ext.rawExtension("nameConstraints", spelled))).nameConstraints!.permitted;
  assert.equal(base!.value, "a.example");
});

Deno.test("policies, access points and timestamps are read", async () => {
  const certificate = await read(
    ext.certificatePolicies(["2.23.140.1.2.1", { oid: "1.2.3", cps: "https://cps.example" }]),
    ext.authorityInfoAccess({ ocsp: ["http://ocsp.example"], caIssuers: ["http://ca.example/i.cer"] }),
    ext.crlDistributionPoints(["http://crl.example/1.crl"]),
    ext.signedTimestamps(3),
    ext.mustStaple(),
    ext.rawExtension("policyMappings", sequence(sequence(oid("1.2.3"), oid("1.2.4")))),
    ext.rawExtension(
      "policyConstraints",
      sequence(implicit(0, Uint8Array.of(1)), implicit(1, Uint8Array.of(0))),
    ),
    ext.rawExtension("inhibitAnyPolicy", integer(2)),
    ext.rawExtension("issuerAltName", sequence(generalName("URI:http://issuer.example"))),
  );
  assert.deepEqual(certificate.certificatePolicies, [
    { oid: "2.23.140.1.2.1", qualifiers: [] },
    { oid: "1.2.3", qualifiers: ["CPS: https://cps.example"] },
  ]);
  assert.deepEqual(certificate.authorityInfoAccess!.map(({ method, location }) => [method, location.value]), [
    ["ocsp", "http://ocsp.example"],
    ["caIssuers", "http://ca.example/i.cer"],
  ]);
  assert.equal(certificate.crlDistributionPoints![0]!.names[0]!.value, "http://crl.example/1.crl");
  assert.equal(certificate.signedTimestamps, 3);
  assert.deepEqual(certificate.tlsFeatures, [5]);
  assert.deepEqual(certificate.policyMappings, [{ issuerDomain: "1.2.3", subjectDomain: "1.2.4" }]);
  assert.deepEqual(certificate.policyConstraints, { requireExplicitPolicy: 1, inhibitPolicyMapping: 0 });
  assert.equal(certificate.inhibitAnyPolicy, 2);
  assert.equal(certificate.issuerAltNames![0]!.value, "http://issuer.example");
  assert.deepEqual(certificate.findings, []);
});

Deno.test("extensions that only few certificates have are read too", async () => {
  const { subjectInfoAccess, extensions } = await read(
    {
      oid: "1.3.6.1.5.5.7.1.11",
      value: sequence(sequence(oid("1.3.6.1.5.5.7.48.5"), generalName("URI:rsync://x"))),
    },
    {
      oid: "2.5.29.46",
      value: sequence(sequence(explicit(0, explicit(0, generalName("URI:http://delta"))))),
    },
  );
  assert.deepEqual(subjectInfoAccess!.map(({ method }) => method), ["caRepository"]);
  assert.deepEqual(extensions.map(({ name, malformed }) => [name, malformed]), [
    ["subjectInfoAccess", undefined],
    ["freshestCRL", undefined],
  ]);
  const broken = await read({ oid: "2.5.29.46", value: sequence() });
  assert.equal(broken.extensions[0]!.malformed, "freshestCRL is empty");
});

Deno.test("user notices and CRL issuers are shown", async () => {
  const notice = sequence(
    oid("1.3.6.1.5.5.7.2.2"),
    sequence(sequence(utf8("Acme"), sequence(integer(1))), utf8("Mind it")),
  );
  const policies = sequence(sequence(oid("1.2.3"), sequence(notice, sequence(oid("1.2.9"), integer(1)))));
  const point = sequence(implicit(1, Uint8Array.of(0)), explicit(2, generalName("dirName:CN=CRL")));
  const certificate = await read(
    ext.rawExtension("certificatePolicies", policies),
    ext.rawExtension(
      "cRLDistributionPoints",
      sequence(point, sequence(explicit(0, explicit(1, sequence())))),
    ),
  );
  assert.deepEqual(certificate.certificatePolicies![0]!.qualifiers, ["Notice: Mind it", "1.2.9"]);
  assert.equal(certificate.crlDistributionPoints![0]!.crlIssuer[0]!.value, "CN=CRL");
});
