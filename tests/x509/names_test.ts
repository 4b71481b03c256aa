import assert from "node:assert/strict";
import { DerReader } from "../../src/x509/der.ts";
import { readGeneralNames } from "../../src/x509/general_names.ts";
import { lastValue, readName, valuesOf } from "../../src/x509/names.ts";
import type { DistinguishedName, Finding } from "../../src/x509/types.ts";
import { derWriter, name, type NameInput } from "../support/test_ca/mod.ts";

const { ascii, concat, printable, sequence, set, tlv, utf8 } = derWriter;

function read(input: NameInput, findings: Finding[] = []): DistinguishedName {
  return readName(new DerReader(name(input)), { field: "subject", findings });
}

for (
  const [title, input, text] of [
    ["keeps the certificate's order", "C=US, O=Let's Encrypt, CN=R3", "C=US, O=Let's Encrypt, CN=R3"],
    [
      "escapes the characters of RFC 4514",
      [["O", 'Acme, "Inc" + <a>;b\\c']],
      'O=Acme\\, \\"Inc\\" \\+ \\<a\\>\\;b\\\\c',
    ],
    ["escapes spaces at both ends", [["CN", "  x  "]], "CN=\\  x \\ "],
    ["escapes one space", [["CN", " "]], "CN=\\ "],
    ["escapes a leading number sign", [["CN", "#1"]], "CN=\\#1"],
    ["does not escape inner marks", [["CN", "a#b c=d"]], "CN=a#b c=d"],
    ["joins one relative name with +", [[["CN", "a"], ["UID", "b"]], ["O", "c"]], "CN=a+UID=b, O=c"],
    ["writes unknown types as OID", [["1.2.3.4", "x"]], "1.2.3.4=x"],
    ["writes values that are not text in hex", [["CN", Uint8Array.of(5, 0)]], "CN=#0500"],
    ["distinguishes a text that looks like hex from hex", [["CN", "#0500"]], "CN=\\#0500"],
    ["is empty for the empty name", "", ""],
    [
      "shows bidirectional controls",
      [["CN", "a\u202Eb\u2066c\u200Fd"]],
      "CN=a\\u{202E}b\\u{2066}c\\u{200F}d",
    ],
    [
      "shows terminal controls",
      [["CN", "a\u001b[31mb\u0000\u009b\u007f"]],
      "CN=a\\u{1B}[31mb\\u{00}\\u{9B}\\u{7F}",
    ],
    ["shows line ends", [["CN", "a\r\nb\u2028"]], "CN=a\\u{0D}\\u{0A}b\\u{2028}"],
    ["distinguishes a written escape from a real one", [["CN", "\\u{202E}"]], "CN=\\\\u{202E}"],
    ["keeps other scripts", [["O", "株式会社 Ünïcode שלום"]], "O=株式会社 Ünïcode שלום"],
  ] as const satisfies readonly [string, NameInput, string][]
) {
  Deno.test(`the text of a name ${title}`, () => {
    assert.equal(read(input).text, text);
  });
}

Deno.test("string types are decoded by their own rules", () => {
  const cases: [Uint8Array, string][] = [
    [tlv(0x14, Uint8Array.of(0x5a, 0xfc)), "Zü"],
    [tlv(0x1e, Uint8Array.of(0x30, 0x42, 0, 0x61)), "あa"],
    [tlv(0x1c, Uint8Array.of(0, 1, 0xf6, 0)), "😀"],
    [tlv(0x12, ascii("123")), "123"],
    [tlv(0x1e, Uint8Array.of(0xd8, 0)), "\\u{D800}"],
  ];
  for (const [der, value] of cases) assert.equal(lastValue(read([["CN", der]]), "CN"), value);
});

Deno.test("bytes that are invalid for their string type are reported, and shown in hex or unchanged", () => {
  for (
    const [der, value] of [
      [tlv(0x0c, Uint8Array.of(0xff, 0xfe)), "#0c02fffe"],
      [tlv(0x1e, Uint8Array.of(0, 0x61, 0)), "#1e03006100"],
      [tlv(0x1c, Uint8Array.of(0, 0x11, 0, 0)), "#1c0400110000"],
      [tlv(0x13, new TextEncoder().encode("Zürich")), "Zürich"],
      [tlv(0x13, Uint8Array.of(0x5a, 0xfc)), "Zü"],
    ] as const
  ) {
    const findings: Finding[] = [];
    assert.equal(lastValue(read([["CN", der]], findings), "CN"), value);
    assert.deepEqual(findings.map(({ code }) => code), ["odd_name"]);
  }
});

Deno.test("the most specific value of an attribute is its last one", () => {
  const subject = read("CN=first, OU=a, OU=b, CN=last");
  assert.equal(lastValue(subject, "CN"), "last");
  assert.equal(lastValue(subject, "2.5.4.11"), "b");
  assert.deepEqual(valuesOf(subject, "OU"), ["a", "b"]);
  assert.equal(lastValue(subject, "O"), undefined);
});

for (
  const [title, one, other] of [
    ["case does not matter", "O=Acme, CN=Root", "O=ACME, CN=rOOT"],
    ["the string type does not matter", [["O", printable("Acme")]], [["O", utf8("Acme")]]],
    ["16-bit and 8-bit text are the same", [["O", tlv(0x1e, Uint8Array.of(0, 0x41))]], [["O", "a"]]],
    ["inner white space is collapsed", [["O", "a  b\t c"]], [["O", "a b c"]]],
    ["outer white space is ignored", [["O", "  a b "]], [["O", "a b"]]],
    ["the order inside one relative name does not matter", [[["CN", "a"], ["O", "b"]]], [[["O", "b"], [
      "CN",
      "a",
    ]]]],
    ["composed and decomposed letters are the same", [["O", "Z\u00fcrich"]], [["O", "Zu\u0308rich"]]],
    ["compatibility forms are the same", [["O", "ﬁne Ｗｉｄｅ"]], [["O", "fine wide"]]],
    ["ß and SS are the same", [["O", "Straße"]], [["O", "STRASSE"]]],
    ["all sigmas are the same", [["O", "ΟΔΟΣ"]], [["O", "οδος"]]],
    ["invisible characters are ignored", [["O", "a\u00adb\u200bc"]], [["O", "abc"]]],
    ["Ä and ä are the same", [["O", "Äpfel"]], [["O", "äpfel"]]],
  ] as const satisfies readonly [string, NameInput, NameInput][]
) {
  Deno.test(`names are compared by RFC 5280 §7.1: ${title}`, () => {
    assert.equal(read(one).key, read(other).key);
  });
}

for (
  const [title, one, other] of [
    ["values", "O=Acme", "O=Acne"],
    ["types", "O=Acme", "OU=Acme"],
    ["order", "O=a, CN=b", "CN=b, O=a"],
    ["number of parts", "O=a", "O=a, CN=b"],
    ["grouping", [["O", "a"], ["CN", "b"]], [[["O", "a"], ["CN", "b"]]]],
    ["a value that imitates a separator", [["O", "a,2.5.4.3=b"]], "O=a, CN=b"],
    ["a value that imitates a joined one", [["O", "a+2.5.4.3=b"]], [[["O", "a"], ["CN", "b"]]]],
    ["a value that ends in the escape", [["O", "a\\"], ["CN", "b"]], [["O", "a\\,2.5.4.3=b"]]],
    ["text and the bytes of other types", [["O", "#0500"]], [["O", Uint8Array.of(5, 0)]]],
    ["accents", [["O", "Zurich"]], [["O", "Zürich"]]],
    ["dotless and dotted i", [["O", "ı"]], [["O", "i"]]],
    ["white space inside words", [["O", "a b"]], [["O", "ab"]]],
  ] as const satisfies readonly [string, NameInput, NameInput][]
) {
  Deno.test(`names that differ in ${title} are different`, () => {
    assert.notEqual(read(one).key, read(other).key);
  });
}

Deno.test("a name within another begins with its relative names' keys", () => {
  const base = read("C=US, O=Acme");
  const within = read("C=us, O=ACME, CN=x");
  assert.deepEqual(within.rdnKeys.slice(0, 2), base.rdnKeys);
  assert.equal(within.key, within.rdnKeys.join(","));
});

for (
  const [title, der] of [
    ["is not a SEQUENCE", set()],
    ["has an attribute without a value", sequence(set(sequence(derWriter.oid("2.5.4.3"))))],
    [
      "has an attribute with two values",
      sequence(set(sequence(derWriter.oid("2.5.4.3"), utf8("a"), utf8("b")))),
    ],
    [
      "has a relative name that is not a SET",
      sequence(sequence(sequence(derWriter.oid("2.5.4.3"), utf8("a")))),
    ],
    ["is cut off", concat(sequence(set(sequence(derWriter.oid("2.5.4.3"), utf8("a"))))).subarray(0, 10)],
  ] as const
) {
  Deno.test(`a name that ${title} is malformed`, () => {
    assert.throws(() => readName(new DerReader(der), { field: "subject", findings: [] }), /^DerError: /);
  });
}

Deno.test("a name of 250 attributes is read, one of more or of more than 4 KiB is not", () => {
  const attributes = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, index) => ["OU", `${index}`]);
  assert.equal(read(attributes(250)).rdns.length, 250);
  assert.throws(() => read(attributes(251)), /^LimitError: subject has a name of more than 500 parts$/);
  assert.throws(
    () => read(attributes(1_200)),
    /^LimitError: subject has a name of 16890 bytes, more than 4096$/,
  );
});

for (
  const [kind, tag] of [["e-mail address", 0x81], ["DNS name", 0x82], ["URI", 0x86], [
    "other name",
    0xa0,
  ]] as const
) {
  Deno.test(`an alternative name of more than 4 KiB is not read: ${kind}`, () => {
    const der = derWriter.tlv(tag, new Uint8Array(4_097).fill(0x61));
    assert.throws(
      () => readGeneralNames(new DerReader(der), { names: [], field: "subjectAltName", findings: [] }),
      /^LimitError: subjectAltName has a name of 4097 bytes, more than 4096$/,
    );
  });
}
