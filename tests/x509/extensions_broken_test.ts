import assert from "node:assert/strict";
import { derWriter, ext, generalName } from "../support/test_ca/mod.ts";
import { read, reading } from "./extension_support.ts";

const {
  ascii,
  bitString,
  boolean,
  concat,
  explicit,
  ia5,
  implicit,
  integer,
  octetString,
  oid,
  printable,
  sequence,
  tlv,
} = derWriter;

type Input = ext.ExtensionInput;

Deno.test("one invalid name makes the extension malformed; the other names stay readable", async () => {
  const { subjectAltNames, extensions, findings } = await read(
    ext.subjectAltName(["a.example", tlv(0x87, new Uint8Array(5)), "b.example"]),
    ext.keyUsage(["digitalSignature"]),
  );
  assert.deepEqual(subjectAltNames.map(({ value }) => value), ["a.example", "b.example"]);
  assert.match(extensions[0]!.malformed!, /IP address of 5 bytes/);
  assert.equal(extensions[1]!.malformed, undefined);
  assert.deepEqual(findings.map(({ code }) => code), ["malformed_extension"]);
});

Deno.test("a certificate may have as many names as fit in its size limit", async () => {
  const names = Array.from({ length: 4_900 }, (_, index) => `h${index}.ex`);
  const { subjectAltNames, findings } = await read(ext.subjectAltName(names));
  assert.deepEqual([subjectAltNames.length, findings.length], [4_900, 0]);
});

/** Returns the same item `count` times. */
function times(count: number, item: Uint8Array): Uint8Array[] {
  return Array<Uint8Array>(count).fill(item);
}

for (
  const [title, cap, build] of [
    [
      "malformed names",
      100,
      (count): Input => ext.rawExtension("subjectAltName", sequence(...times(count, tlv(0x89)))),
    ],
    [
      "extended key usages",
      200,
      (count): Input => ext.extendedKeyUsage(Array<string>(count).fill("serverAuth")),
    ],
    [
      "subtrees",
      2_000,
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
    ["bytes of all qualifiers", 8_192, (count): Input => {
      // Two policies with a CPS each; an element of more than 255 bytes has a header of 4, its type takes 10 more.
      const cps = (length: number): Uint8Array =>
        sequence(sequence(oid("1.3.6.1.5.5.7.2.1"), tlv(0x16, ascii("u".repeat(length - 4 - 10 - 4)))));
      return ext.rawExtension(
        "certificatePolicies",
        sequence(sequence(oid("1.2.3"), cps(4_096)), sequence(oid("1.2.4"), cps(count - 4_096))),
      );
    }],
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
  Deno.test(`more than ${cap} ${title} exceed the limit`, async () => {
    assert.ok((await reading(build(cap))).certificate !== undefined);
    const { certificate, findings } = await reading(build(cap + 1));
    assert.deepEqual([certificate, findings.map(({ code }) => code)], [undefined, ["too_large"]]);
  });
}

/** Content that the named extension must not have. */
const MALFORMED: readonly [ext.ExtensionName, string, Uint8Array][] = [
  ["subjectKeyIdentifier", "no OCTET STRING", integer(1)],
  ["subjectKeyIdentifier", "something after it", concat(octetString(Uint8Array.of(1)), tlv(5))],
  ["keyUsage", "no BIT STRING", octetString(Uint8Array.of(1))],
  ["keyUsage", "unused bits that are set", bitString(Uint8Array.of(0xff), 1)],
  ["subjectAltName", "nothing in it", sequence()],
  ["subjectAltName", "no content at all", new Uint8Array()],
  ["subjectAltName", "bytes that are not DER", ascii("garbage")],
  ["subjectAltName", "an unknown kind of name", sequence(tlv(0x89, ascii("x")))],
  ["subjectAltName", "a constructed DNS name", sequence(tlv(0xa2, ascii("x")))],
  ["subjectAltName", "an otherName without a value", sequence(tlv(0xa0, oid("1.2.3")))],
  ["subjectAltName", "an invalid directory name", sequence(tlv(0xa4, integer(1)))],
  ["subjectAltName", "a list that is cut off", sequence(generalName("a.example")).subarray(0, 8)],
  ["issuerAltName", "nothing in it", sequence()],
  ["basicConstraints", "a cA flag that is not a DER BOOLEAN", sequence(tlv(1, Uint8Array.of(1)))],
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
  ["extKeyUsage", "something that is not an OID", sequence(printable("serverAuth"))],
  ["inhibitAnyPolicy", "a negative number", integer(-1)],
  ["authorityInfoAccess", "nothing in it", sequence()],
  ["authorityInfoAccess", "an entry without a location", sequence(sequence(oid("1.3.6.1.5.5.7.48.1")))],
  ["tlsFeature", "something that is not a number", sequence(ia5("5"))],
  ["signedCertificateTimestampList", "a wrong length", octetString(Uint8Array.of(0, 5, 0, 1))],
  ["signedCertificateTimestampList", "an item that is cut off", octetString(Uint8Array.of(0, 3, 0, 9, 0))],
];

for (const [name, title, value] of MALFORMED) {
  Deno.test(`${name} with ${title} is malformed, and no other extension`, async () => {
    const other = name === "extKeyUsage" ? ext.keyUsage(["cRLSign"]) : ext.extendedKeyUsage(["clientAuth"]);
    const { extensions, findings, extendedKeyUsage, keyUsage } = await read(
      ext.rawExtension(name, value),
      other,
    );
    assert.equal(typeof extensions[0]!.malformed, "string");
    assert.equal(extensions[0]!.size, value.length);
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
    ["a value that is not an OCTET STRING", sequence(oid("2.5.29.17"), integer(1))],
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

Deno.test("two extensions whose OIDs cannot be read are not duplicates", async () => {
  const { extensions } = await read(tlv(5), tlv(5));
  assert.deepEqual(extensions.map(({ oid, name, duplicate }) => [oid, name, duplicate]), [
    ["", "unreadable", undefined],
    ["", "unreadable", undefined],
  ]);
});

Deno.test("an explicit critical FALSE is accepted, because it is common", async () => {
  const frame = sequence(oid("2.5.29.14"), boolean(false), octetString(octetString(Uint8Array.of(7))));
  const { extensions, subjectKeyId, findings } = await read(frame);
  assert.deepEqual([extensions[0]!.critical, subjectKeyId!.toHex(), findings], [false, "07", []]);
});

Deno.test("as many extensions are read as the size of a certificate allows", async () => {
  const many = Array.from({ length: 1_200 }, (_, index) => ({ oid: `1.2.3.${index}`, value: tlv(5) }));
  assert.equal((await read(...many)).extensions.length, 1_200);
});
