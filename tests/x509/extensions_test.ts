import assert from "node:assert/strict";
import { type Certificate, type CertificateReading, parseCertificate } from "../../src/x509/mod.ts";
import {
  type CertificateInput,
  derWriter,
  ext,
  generalName,
  otherName,
  TestCa,
} from "../support/test_ca/mod.ts";

const {
  ascii,
  bitString,
  boolean,
  concat,
  explicit,
  ia5,
  implicit,
  integer,
  namedBits,
  octetString,
  oid,
  printable,
  sequence,
  tlv,
  utf8,
} = derWriter;

type Input = ext.ExtensionInput;

/** A certificate with exactly these extensions. */
async function reading(...extensions: Input[]): Promise<CertificateReading> {
  const input: CertificateInput = {
    key: "ed25519",
    without: Object.keys(ext.EXTENSION_OID) as ext.ExtensionName[],
  };
  return parseCertificate((await TestCa.selfSigned({ ...input, extensions })).der);
}

async function read(...extensions: Input[]): Promise<Certificate> {
  const { certificate, findings } = await reading(...extensions);
  assert.ok(certificate, JSON.stringify(findings));
  return certificate;
}

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
  assert.deepEqual(subjectAltNames[2]!.der, Uint8Array.of(192, 0, 2, 1));
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
  assert.equal(subjectAltNames[0]!.der.length, 26);
});

Deno.test("a name that is not ASCII is read and reported", async () => {
  const { subjectAltNames, findings, extensions } = await read(ext.subjectAltName(["bücher.example"]));
  assert.equal(subjectAltNames[0]!.value, "bücher.example");
  assert.deepEqual(findings.map(({ code }) => code), ["odd_name"]);
  assert.equal(extensions[0]!.malformed, undefined);
});

Deno.test("one bad name makes the extension malformed; the names around it stay readable", async () => {
  const { subjectAltNames, extensions, findings } = await read(
    ext.subjectAltName(["a.example", tlv(0x87, new Uint8Array(5)), "b.example"]),
    ext.keyUsage(["digitalSignature"]),
  );
  assert.deepEqual(subjectAltNames.map(({ value }) => value), ["a.example", "b.example"]);
  assert.match(extensions[0]!.malformed!, /IP address of 5 bytes/);
  assert.equal(extensions[1]!.malformed, undefined);
  assert.deepEqual(findings.map(({ code }) => code), ["malformed_extension"]);
});

Deno.test("more than 2,000 names are over the cap, which the message names", async () => {
  const names = Array.from({ length: 2_001 }, (_, index) => `h${index}.ex`);
  assert.equal((await read(ext.subjectAltName(names.slice(1)))).subjectAltNames.length, 2_000);
  const { certificate, findings } = await reading(ext.subjectAltName(names));
  assert.equal(certificate, undefined);
  assert.deepEqual([findings[0]!.code, findings[0]!.message.includes("2000")], ["too_large", true]);
});

Deno.test("basicConstraints say CA and path length", async () => {
  assert.deepEqual((await read(ext.basicConstraints({ ca: false }))).basicConstraints, { ca: false });
  assert.deepEqual((await read(ext.basicConstraints({ ca: true }))).basicConstraints, { ca: true });
  const limited = await read(ext.basicConstraints({ ca: true, pathLength: 0 }));
  assert.deepEqual(limited.basicConstraints, { ca: true, pathLength: 0 });
  assert.equal(limited.extensions[0]!.critical, true);
  const spelled = await read(ext.rawExtension("basicConstraints", sequence(boolean(false))));
  assert.deepEqual(spelled.basicConstraints, { ca: false });
});

Deno.test("keyUsage gives the names of its bits, also beyond the first octet", async () => {
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
  assert.deepEqual(nameConstraints!.permitted.map(({ base }) => `${base.kind} ${base.value}`), [
    "dns example.com",
    "ip 10.0.0.0/8",
    "ip 2001:db8::/32",
    "directory O=Acme",
    "email @example.com",
  ]);
  assert.deepEqual(nameConstraints!.excluded.map(({ base }) => base.value), [
    "bad.example.com",
    ".example.com",
  ]);
  assert.equal(nameConstraints!.permitted[1]!.base.der.length, 8);
  const spelled = sequence(explicit(0, sequence(generalName("a.example"), implicit(0, Uint8Array.of(0)))));
  const subtree = (await read(ext.rawExtension("nameConstraints", spelled))).nameConstraints!.permitted[0]!;
  assert.equal(subtree.minimum, 0);
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

/** `count` times the same. */
function times(count: number, item: Uint8Array): Uint8Array[] {
  return Array<Uint8Array>(count).fill(item);
}

for (
  const [title, cap, build] of [
    [
      "alternative names, good or bad",
      2_000,
      (count): Input => ext.rawExtension("subjectAltName", sequence(...times(count, tlv(0x89)))),
    ],
    [
      "extended key usages",
      200,
      (count): Input => ext.extendedKeyUsage(Array<string>(count).fill("serverAuth")),
    ],
    [
      "subtrees",
      4_000,
      (count): Input =>
        ext.rawExtension(
          "nameConstraints",
          sequence(explicit(0, ...times(count, sequence(generalName("a"))))),
        ),
    ],
    [
      "policies",
      500,
      (count): Input => ext.certificatePolicies(Array.from({ length: count }, (_, index) => `1.2.${index}`)),
    ],
    ["qualifiers of one policy", 20, (count): Input =>
      ext.rawExtension(
        "certificatePolicies",
        sequence(sequence(oid("1.2"), sequence(...times(count, sequence(oid("1.2"), integer(1)))))),
      )],
    [
      "access entries",
      200,
      (count): Input => ext.authorityInfoAccess({ ocsp: Array<string>(count).fill("http://o") }),
    ],
    [
      "distribution points",
      200,
      (count): Input => ext.crlDistributionPoints(Array<string>(count).fill("http://l")),
    ],
  ] as const satisfies readonly [string, number, (count: number) => Input][]
) {
  Deno.test(`more than ${cap} ${title} are over the cap`, async () => {
    assert.ok((await reading(build(cap))).certificate !== undefined);
    const { certificate, findings } = await reading(build(cap + 1));
    assert.deepEqual([certificate, findings.map(({ code }) => code)], [undefined, ["too_large"]]);
  });
}

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

/** Content that the named extension must not have. */
const MALFORMED: readonly [ext.ExtensionName, string, Uint8Array][] = [
  ["subjectKeyIdentifier", "no OCTET STRING", integer(1)],
  ["subjectKeyIdentifier", "something after it", concat(octetString(Uint8Array.of(1)), tlv(5))],
  ["keyUsage", "no BIT STRING", octetString(Uint8Array.of(1))],
  ["keyUsage", "unused bits that are set", bitString(Uint8Array.of(0xff), 1)],
  ["subjectAltName", "nothing in it", sequence()],
  ["subjectAltName", "no content at all", new Uint8Array()],
  ["subjectAltName", "bytes that are no DER", ascii("garbage")],
  ["subjectAltName", "an unknown kind of name", sequence(tlv(0x89, ascii("x")))],
  ["subjectAltName", "a constructed DNS name", sequence(tlv(0xa2, ascii("x")))],
  ["subjectAltName", "an otherName without a value", sequence(tlv(0xa0, oid("1.2.3")))],
  ["subjectAltName", "a directory name that is none", sequence(tlv(0xa4, integer(1)))],
  ["subjectAltName", "a list that is cut off", sequence(generalName("a.example")).subarray(0, 8)],
  ["issuerAltName", "nothing in it", sequence()],
  ["basicConstraints", "a cA flag that is no DER BOOLEAN", sequence(tlv(1, Uint8Array.of(1)))],
  ["basicConstraints", "a negative path length", sequence(boolean(true), integer(-1))],
  ["basicConstraints", "an enormous path length", sequence(boolean(true), integer(2n ** 40n))],
  ["basicConstraints", "a third field", sequence(boolean(true), integer(1), integer(1))],
  ["nameConstraints", "neither list", sequence()],
  ["nameConstraints", "an empty list", sequence(explicit(0))],
  [
    "nameConstraints",
    "lists in the wrong order",
    sequence(explicit(1, sequence(generalName("a"))), explicit(0)),
  ],
  [
    "nameConstraints",
    "an address without a mask",
    sequence(explicit(0, sequence(generalName("IP:10.0.0.0")))),
  ],
  [
    "nameConstraints",
    "a mask with holes",
    sequence(explicit(0, sequence(tlv(0x87, Uint8Array.of(10, 0, 0, 0, 255, 0, 255, 0))))),
  ],
  [
    "nameConstraints",
    "a minimum",
    sequence(explicit(0, sequence(generalName("a"), implicit(0, Uint8Array.of(1))))),
  ],
  [
    "nameConstraints",
    "a maximum",
    sequence(explicit(0, sequence(generalName("a"), implicit(1, Uint8Array.of(1))))),
  ],
  ["cRLDistributionPoints", "nothing in it", sequence()],
  ["cRLDistributionPoints", "an empty list of names", sequence(sequence(explicit(0, explicit(0))))],
  ["certificatePolicies", "nothing in it", sequence()],
  ["certificatePolicies", "one policy twice", sequence(sequence(oid("1.2.3")), sequence(oid("1.2.3")))],
  ["certificatePolicies", "an empty list of qualifiers", sequence(sequence(oid("1.2.3"), sequence()))],
  ["policyMappings", "half a pair", sequence(sequence(oid("1.2.3")))],
  [
    "authorityKeyIdentifier",
    "fields in the wrong order",
    sequence(implicit(2, Uint8Array.of(1)), implicit(0, Uint8Array.of(1))),
  ],
  ["authorityKeyIdentifier", "no SEQUENCE", octetString(Uint8Array.of(1))],
  ["policyConstraints", "nothing in it", sequence()],
  ["extKeyUsage", "nothing in it", sequence()],
  ["extKeyUsage", "something that is no OID", sequence(printable("serverAuth"))],
  ["inhibitAnyPolicy", "a negative number", integer(-1)],
  ["authorityInfoAccess", "nothing in it", sequence()],
  ["authorityInfoAccess", "an entry without a location", sequence(sequence(oid("1.3.6.1.5.5.7.48.1")))],
  ["tlsFeature", "something that is no number", sequence(ia5("5"))],
  ["signedCertificateTimestampList", "a wrong length", octetString(Uint8Array.of(0, 5, 0, 1))],
  ["signedCertificateTimestampList", "an item that is cut off", octetString(Uint8Array.of(0, 3, 0, 9, 0))],
];

for (const [name, title, value] of MALFORMED) {
  Deno.test(`${name} with ${title} is malformed, and only it`, async () => {
    const other = name === "extKeyUsage" ? ext.keyUsage(["cRLSign"]) : ext.extendedKeyUsage(["clientAuth"]);
    const { extensions, findings, extendedKeyUsage, keyUsage } = await read(
      ext.rawExtension(name, value),
      other,
    );
    assert.equal(typeof extensions[0]!.malformed, "string");
    assert.deepEqual(extensions[0]!.value, value);
    assert.deepEqual(name === "extKeyUsage" ? keyUsage : extendedKeyUsage, [
      name === "extKeyUsage" ? "cRLSign" : "clientAuth",
    ]);
    assert.deepEqual(findings.map(({ code }) => code), ["malformed_extension"]);
  });
}

Deno.test("a second extension of the same kind is marked, and the first one counts", async () => {
  const { extensions, subjectAltNames, findings } = await read(
    ext.subjectAltName(["first.example"]),
    ext.subjectAltName(["second.example"]),
  );
  assert.deepEqual(extensions.map(({ duplicate }) => duplicate), [undefined, true]);
  assert.deepEqual(subjectAltNames.map(({ value }) => value), ["first.example"]);
  assert.deepEqual(findings.map(({ code }) => code), ["duplicate_extension"]);
});

Deno.test("duplicates are found among unknown extensions too", async () => {
  const unknown = { oid: "1.2.3.4", critical: true, value: tlv(5) };
  const { extensions } = await read(unknown, unknown);
  assert.deepEqual(extensions.map(({ oid, name, critical, duplicate }) => [oid, name, critical, duplicate]), [
    ["1.2.3.4", "1.2.3.4", true, undefined],
    ["1.2.3.4", "1.2.3.4", true, true],
  ]);
});

for (
  const [title, frame] of [
    ["a critical flag of 01", sequence(oid("2.5.29.17"), tlv(1, Uint8Array.of(1)), octetString(sequence()))],
    ["no value", sequence(oid("2.5.29.17"))],
    ["a value that is no OCTET STRING", sequence(oid("2.5.29.17"), integer(1))],
    ["something after its value", sequence(oid("2.5.29.17"), octetString(sequence()), tlv(5))],
    ["no OID", sequence(octetString(sequence()))],
    ["no frame at all", tlv(5)],
  ] as const
) {
  Deno.test(`an extension with ${title} is malformed and counts as critical; the rest is read`, async () => {
    const { extensions, keyUsage } = await read(frame, ext.keyUsage(["digitalSignature"]));
    assert.equal(extensions.length, 2);
    assert.equal(typeof extensions[0]!.malformed, "string");
    assert.equal(extensions[0]!.critical, true);
    assert.deepEqual(keyUsage, ["digitalSignature"]);
  });
}

Deno.test("two extensions whose OIDs cannot be read are no duplicates of each other", async () => {
  const { extensions } = await read(tlv(5), tlv(5));
  assert.deepEqual(extensions.map(({ oid, name, duplicate }) => [oid, name, duplicate]), [
    ["", "unreadable", undefined],
    ["", "unreadable", undefined],
  ]);
});

Deno.test("a spelled-out critical FALSE is let pass, as it is common", async () => {
  const frame = sequence(oid("2.5.29.14"), boolean(false), octetString(octetString(Uint8Array.of(7))));
  const { extensions, subjectKeyId, findings } = await read(frame);
  assert.deepEqual([extensions[0]!.critical, subjectKeyId!.toHex(), findings], [false, "07", []]);
});

Deno.test("more than 200 extensions are over the cap", async () => {
  const many = Array.from({ length: 201 }, (_, index) => ({ oid: `1.2.3.${index}`, value: tlv(5) }));
  assert.equal((await read(...many.slice(1))).extensions.length, 200);
  assert.equal((await reading(...many)).findings[0]!.code, "too_large");
});
