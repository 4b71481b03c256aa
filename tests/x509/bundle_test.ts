import assert from "node:assert/strict";
import { type Bundle, encodePem, readCertificates } from "../../src/x509/mod.ts";
import {
  buildRequest,
  contentInfo,
  derWriter,
  indefiniteTlv,
  pkcs7,
  TestCa,
  testKey,
} from "../support/test_ca/mod.ts";

const { ascii, concat, explicit, integer, octetString, oid, sequence, set, tlv } = derWriter;
const root = await TestCa.root({ cn: "Root", key: "ed25519" });
const [one, two, three] = await root.issueMany(3, (index) => ({ cn: `h${index}.example` }));
const request = await buildRequest({ key: "ed25519" });
const key = await testKey("ed25519");

/** Returns common names with their block numbers. */
function members({ members }: Bundle): string[] {
  return members.map(({ certificate, block, line }) => {
    const place = block === undefined ? "" : ` in block ${block}, line ${line}`;
    return `${certificate.subject.rdns[0]![0]!.value}${place}`;
  });
}

function codes({ findings }: Bundle): string[] {
  return findings.map(({ code }) => code);
}

Deno.test("one DER certificate is a bundle of one", () => {
  const bundle = readCertificates(one!.der);
  assert.deepEqual([bundle.kind, members(bundle), bundle.findings], ["der", ["h0.example"], []]);
});

Deno.test("PEM blocks are members in order, with their positions", () => {
  const bundle = readCertificates(`# chain\n${two!.pem}\n${one!.pem}`);
  const lines = two!.pem.split("\n").length;
  assert.equal(bundle.kind, "pem");
  assert.deepEqual(members(bundle), [
    "h1.example in block 1, line 2",
    `h0.example in block 2, line ${lines + 2}`,
  ]);
  assert.deepEqual(bundle.findings, []);
});

for (
  const label of [
    "CERTIFICATE",
    "X509 CERTIFICATE",
    "X.509 CERTIFICATE",
    "TRUSTED CERTIFICATE",
    "ROOT CERTIFICATE",
    "CERTIFICATE CHAIN",
    "CERTIFICATES",
    "PKCS7",
  ]
) {
  Deno.test(`${label} is a label of certificates`, () => {
    assert.deepEqual(members(readCertificates(encodePem(one!.der, label))), [
      "h0.example in block 1, line 1",
    ]);
  });
}

Deno.test("trust settings after a TRUSTED CERTIFICATE are removed, after others they are refused", () => {
  const trusted = concat(one!.der, sequence(sequence(oid("1.3.6.1.5.5.7.3.1"))));
  const [member] = readCertificates(encodePem(trusted, "TRUSTED CERTIFICATE")).members;
  assert.deepEqual(member!.certificate.der, one!.der);
  assert.equal(member!.certificate.fingerprintSha256, one!.certificate.fingerprintSha256);
  assert.deepEqual(codes(readCertificates(encodePem(trusted))), ["trailing_data"]);
});

for (
  const [title, bytes] of [
    ["DER", pkcs7([two!.der, one!.der])],
    ["BER with indefinite lengths", pkcs7([two!.der, one!.der], { indefinite: true })],
    [
      "DER with CRLs and signers",
      pkcs7([two!.der, one!.der], { crls: [sequence()], signerInfos: [sequence(integer(1))] }),
    ],
    [
      "BER with lengths that are not minimal",
      concat(
        Uint8Array.of(0x30, 0x84, 0, 0),
        lengthOf(pkcs7([two!.der, one!.der])),
        pkcs7([two!.der, one!.der]).subarray(4),
      ),
    ],
  ] as const
) {
  Deno.test(`PKCS#7 in ${title} has its certificates in order`, () => {
    const bundle = readCertificates(bytes);
    assert.deepEqual([bundle.kind, members(bundle), bundle.findings], [
      "pkcs7",
      ["h1.example", "h0.example"],
      [],
    ]);
    const labels = [
      "PKCS7",
      "PKCS #7",
      "PKCS #7 SIGNED DATA",
      "CMS",
      "CERTIFICATE",
      "CERTIFICATE CHAIN",
      "X509 CERTIFICATE",
    ];
    for (const label of labels) {
      const armoured = readCertificates(`${three!.pem}${encodePem(bytes, label)}`);
      assert.equal(armoured.kind, "pem");
      assert.deepEqual(armoured.members.map(({ block }) => block), [1, 2, 2]);
    }
  });
}

const quoted = (prefix: string): string => one!.pem.replace(/^(?=.)/gm, prefix);

for (
  const [layout, text] of [
    ["escaped line ends", one!.pem.replaceAll("\n", "\\n")],
    ["escaped CR LF", one!.pem.replaceAll("\n", "\\r\\n")],
    ["JSON", JSON.stringify({ Certificate: one!.pem })],
    ["JSON in JSON", JSON.stringify(JSON.stringify({ Certificate: one!.pem }))],
    ["JSON with escaped slashes", JSON.stringify(one!.pem).replaceAll("/", "\\/")],
    [
      "JSON with escapes of .NET",
      JSON.stringify(one!.pem).replaceAll("+", "\\u002B").replaceAll("=", "\\u003D"),
    ],
    ["a list of lines", JSON.stringify(one!.pem.trim().split("\n"), null, 2)],
    ["source code", one!.pem.trim().split("\n").map((line) => `  "${line}\\n" +`).join("\n")],
    ["a quoted mail", quoted("> ")],
    ["a mail quoted twice", quoted(">> ")],
    ["a comment", quoted("# ")],
    ["a comment of another kind", quoted("// ")],
    ["indentation", quoted("\t    ")],
    ["one line", one!.pem.replaceAll("\n", "")],
    ["<br>", one!.pem.replaceAll("\n", "<br>")],
    ["<br />", one!.pem.replaceAll("\n", "<br />\n")],
    ["HTML", one!.pem.replaceAll("+", "&#43;").replaceAll("/", "&#x2F;").replaceAll("=", "&#61;")],
    ["quoted-printable", one!.pem.replaceAll("=", "=3D").replace(/(?<=^M.{20})/m, "=\n")],
    ["percent-encoding", encodeURIComponent(one!.pem)],
    ["em dash and en dash", one!.pem.replaceAll("-----", "\u2014\u2013")],
    ["en dashes", one!.pem.replaceAll("-----", "\u2013".repeat(5))],
    ["dashes and hyphens", one!.pem.replaceAll("-----", "\u2014-\u2014")],
    ["no-break spaces", one!.pem.replaceAll(" ", "\u00a0")],
    ["zero-width spaces", one!.pem.replaceAll("\n", "\u200b\n")],
  ] as const
) {
  Deno.test(`PEM in ${layout} is read`, () => {
    const bundle = readCertificates(`${text}\n${two!.pem}`);
    assert.deepEqual([
      bundle.members.map(({ certificate }) => certificate.fingerprintSha256),
      bundle.findings,
    ], [
      [one!.certificate.fingerprintSha256, two!.certificate.fingerprintSha256],
      [],
    ]);
    assert.equal(readCertificates(text).members.length, 1);
  });
}

/** Returns the two length octets of a SEQUENCE with a long length. */
function lengthOf(der: Uint8Array): Uint8Array {
  return der.subarray(2, 4);
}

Deno.test("signed content of every shape is skipped", () => {
  const content = sequence(
    oid("1.2.840.113549.1.7.1"),
    indefiniteTlv(0xa0, indefiniteTlv(0x24, octetString(ascii("a")), octetString(new Uint8Array(2)))),
  );
  const signed = sequence(integer(1), set(sequence(oid("1.2.3"))), content, explicit(0, one!.der), set());
  assert.deepEqual(members(readCertificates(contentInfo("1.2.840.113549.1.7.2", signed))), ["h0.example"]);
});

for (
  const [title, bytes, code, text] of [
    [
      "enveloped data",
      contentInfo("1.2.840.113549.1.7.3", sequence()),
      "unsupported_content",
      /enveloped \(encrypted\)/,
    ],
    [
      "encrypted data",
      contentInfo("1.2.840.113549.1.7.6", sequence()),
      "unsupported_content",
      /encrypted data/,
    ],
    [
      "plain data",
      contentInfo("1.2.840.113549.1.7.1", octetString(ascii("x"))),
      "unsupported_content",
      /plain data/,
    ],
    ["content of an unknown type", contentInfo("1.2.3.4", sequence()), "unsupported_content", /1\.2\.3\.4/],
    ["PKCS#7 without certificates", pkcs7([]), "empty", /no certificates/],
    [
      "PKCS#7 with something after it",
      concat(pkcs7([one!.der]), Uint8Array.of(0)),
      "trailing_data",
      /1 bytes follow/,
    ],
    ["PKCS#7 that is cut off", pkcs7([one!.der]).slice(0, 200), "malformed", /./],
    [
      "PKCS#7 in BER that never ends",
      pkcs7([one!.der], { indefinite: true }).slice(0, -8),
      "malformed",
      /cut off/,
    ],
    [
      "an attribute certificate among others",
      pkcs7([tlv(0xa2)]),
      "unsupported_member",
      /attribute certificate/,
    ],
    ["PKCS#12", pkcs12(), "wrong_kind", /PKCS#12/],
    ["a private key", key.pkcs8, "private_key", /private key/],
    ["a request", request.der, "signing_request", /certificate signing request/],
    ["a DER file of two certificates", concat(one!.der, two!.der), "trailing_data", /follow the certificate/],
    ["a binary file of some kind", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1), "malformed", /./],
    ["an empty file", new Uint8Array(), "no_pem", /./],
    ["text", ascii("0 is a digit that DER also begins with"), "no_pem", /./],
  ] as const
) {
  Deno.test(`${title} is a finding, not a member`, () => {
    const bundle = readCertificates(bytes);
    assert.deepEqual([codes(bundle), bundle.members.length], [[code], 0]);
    assert.match(bundle.findings[0]!.message, text);
  });
}

function pkcs12(): Uint8Array {
  return sequence(integer(3), contentInfo("1.2.840.113549.1.7.1", octetString(ascii("x"))));
}

Deno.test("an invalid member of PKCS#7 is reported and the others are returned", () => {
  const bundle = readCertificates(pkcs7([one!.der, sequence(integer(1)), two!.der]));
  assert.deepEqual([members(bundle), codes(bundle)], [["h0.example", "h1.example"], ["malformed"]]);
});

for (
  const [label, bytes, code] of [
    ["CERTIFICATE", sequence(), "malformed"],
    ["CERTIFICATE", new Uint8Array(), "malformed"],
    ["CERTIFICATE", request.der, "signing_request"],
    ["CERTIFICATE REQUEST", request.der, "signing_request"],
    ["X509 CRL", sequence(), "unexpected_block"],
    ["EC PARAMETERS", sequence(), "unexpected_block"],
    ["PRIVATE KEY", key.pkcs8, "private_key"],
    ["CERTIFICATE", key.pkcs8, "private_key"],
    ["PKCS7", sequence(), "malformed"],
    ["ATTRIBUTE CERTIFICATE", sequence(), "unexpected_block"],
    ["CERTIFICATE REVOCATION LIST", sequence(), "unexpected_block"],
    ["TRUSTED CERTIFICATE", Uint8Array.of(0x30, 0x82), "malformed"],
  ] as const
) {
  Deno.test(`a block ${label} that contains something else (${code}, ${bytes.length} bytes) is reported with its line`, () => {
    const bundle = readCertificates(`${one!.pem}\n${encodePem(bytes, label)}`);
    const line = one!.pem.split("\n").length + 1;
    assert.deepEqual(members(bundle), ["h0.example in block 1, line 1"]);
    assert.deepEqual(bundle.findings.map(({ code, block, line }) => [code, block, line]), [[code, 2, line]]);
  });
}

Deno.test("findings are in the order of the text", () => {
  const bundle = readCertificates(`${encodePem(sequence())}-----BEGIN X-----\n${encodePem(sequence())}`);
  assert.deepEqual(bundle.findings.map(({ block }) => block), [1, 2, 3]);
});

for (const encoding of ["utf-8", "utf-8 with a byte order mark", "utf-16le", "utf-16be"]) {
  Deno.test(`a PEM file in ${encoding} is read`, () => {
    const bytes = encoding.startsWith("utf-8")
      ? ascii(`${encoding === "utf-8" ? "" : "\u00ef\u00bb\u00bf"}${one!.pem}`)
      : utf16(`\ufeff${one!.pem}`, encoding === "utf-16le");
    assert.deepEqual(members(readCertificates(bytes)), ["h0.example in block 1, line 1"]);
  });
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++) {
    view.setUint16(index * 2, text.charCodeAt(index), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

Deno.test("a PEM file that begins with the digit 0 is not read as DER", () => {
  assert.equal(readCertificates(ascii(`0 s:CN = x\n${one!.pem}`)).members.length, 1);
});

Deno.test("exceeded limits are findings that name the limit", () => {
  const large = readCertificates(new Uint8Array(2 ** 20 + 1));
  assert.deepEqual([codes(large), large.findings[0]!.message.includes("1048576")], [["too_large"], true]);
  assert.deepEqual(codes(readCertificates(" ".repeat(2 ** 20 + 1))), ["too_large"]);
  const many = readCertificates(pkcs7(Array<Uint8Array>(1_001).fill(one!.der)));
  assert.deepEqual([codes(many), many.members.length], [["too_large"], 1_000]);
  assert.match(many.findings[0]!.message, /1000/);
  const split = pkcs7(Array<Uint8Array>(600).fill(one!.der));
  const blocks = readCertificates(encodePem(split, "PKCS7") + encodePem(split, "PKCS7"));
  assert.deepEqual([codes(blocks), blocks.members.length], [["too_large"], 1_000]);
});

for (
  const [title, hex, message] of [
    ["a ZIP archive", "504b0304140000000800", /^A ZIP archive\. Extract it/],
    [
      "a workbook",
      "504b0304140000000800786c2f776f726b626f6f6b2e786d6c",
      /^An Excel workbook \(\.xlsx\)\. Import it in the browser/,
    ],
    ["gzip", "1f8b080000000000", /^A gzip file\. Decompress it/],
    ["a Java key store", "feedfeed0000000200000001", /^A Java key store \(JKS\)\. .*keytool/],
    ["a Java key store of JCE", "cececece0000000200000001", /\(JCEKS\)/],
    [
      "PKCS#12 without a visible key",
      "30820100020103308200f006092a864886f70d010701a08006092a864886f70d010706",
      /^A PKCS#12 file/,
    ],
  ] as const
) {
  Deno.test(`${title} is named, with what to do`, () => {
    const { kind, members, findings } = readCertificates(Uint8Array.fromHex(hex));
    assert.deepEqual([kind, members, findings.map(({ code }) => code)], ["unknown", [], ["wrong_kind"]]);
    assert.match(findings[0]!.message, message);
  });
}
