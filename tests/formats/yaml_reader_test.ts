import assert from "node:assert/strict";
import { parse, parseAllDocuments } from "yaml";
import { type ExportRow, FORMATS } from "../../src/formats/mod.ts";
import { documentOf, HOSTILE_TEXTS } from "./support.ts";

const VERSIONS = ["1.1", "1.2"] as const;

function readBack(text: string, version: typeof VERSIONS[number]): unknown {
  const documents = parseAllDocuments(text, { version, merge: true, uniqueKeys: true });
  assert(Array.isArray(documents) && documents.length === 1, "Expected one document");
  assert.deepEqual(documents[0]?.errors, []);
  assert.deepEqual(documents[0]?.warnings, []);
  return documents[0]?.toJS();
}

for (const version of VERSIONS) {
  Deno.test(`YAML: every text is the same text to a reader of YAML ${version}`, async () => {
    const rows = HOSTILE_TEXTS.map((text): ExportRow => ({ id: 1, text, list: [text, text], after: "end" }));
    assert.deepEqual(readBack(await documentOf(FORMATS.yaml, rows), version), rows);
  });

  Deno.test(`YAML: numbers, booleans, null and lists keep their types for a reader of YAML ${version}`, async () => {
    const rows: ExportRow[] = [
      {
        id: 0,
        n: -14,
        big: 9007199254740991,
        small: 0.5,
        huge: 1e21,
        t: true,
        f: false,
        none: null,
        list: [],
      },
      {
        id: 1,
        n: 12,
        big: 1,
        small: -0.25,
        huge: 1e-7,
        t: false,
        f: true,
        none: null,
        list: ["a", "no", ""],
      },
    ];
    assert.deepEqual(readBack(await documentOf(FORMATS.yaml, rows), version), rows);
  });
}

Deno.test("YAML: each single character is the same text to readers of both versions", async () => {
  const texts = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code));
  const rows = texts.map((text): ExportRow => ({ text, framed: `a${text}b` }));
  const document = await documentOf(FORMATS.yaml, rows);
  for (const version of VERSIONS) assert.deepEqual(readBack(document, version), rows);
});

Deno.test("YAML: characters that YAML 1.1 does not allow are escaped", async () => {
  const text = await documentOf(FORMATS.yaml, HOSTILE_TEXTS.map((text) => ({ text })));
  // YAML 1.1 §4.1.1 c-printable, without the line ends of §4.1.4 other than LF, and without the byte order mark.
  assert.match(
    text,
    /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u,
  );
});

Deno.test("YAML: a lone surrogate becomes U+FFFD, as in UTF-8", async () => {
  assert.deepEqual(parse(await documentOf(FORMATS.yaml, [{ text: "a\ud800b" }])), [{ text: "a\ufffdb" }]);
});

Deno.test("YAML: plain names have no quotes, and a PEM is a block of lines", async () => {
  const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const rows = [{
    id: 7,
    common_name: "www.example.com",
    sans: ["www.example.com"],
    tags: [],
    pem_content: pem,
  }];
  assert.equal(
    await documentOf(FORMATS.yaml, rows),
    `- id: 7
  common_name: www.example.com
  sans:
    - www.example.com
  tags: []
  pem_content: |
    -----BEGIN CERTIFICATE-----
    AAAA
    -----END CERTIFICATE-----
`,
  );
});

Deno.test("YAML: an export without rows is an empty list", async () => {
  assert.equal(await documentOf(FORMATS.yaml, [], ["id"]), "[]\n");
});

Deno.test("YAML: NaN and Infinity throw", async () => {
  await assert.rejects(documentOf(FORMATS.yaml, [{ n: NaN }]), /finite/);
});
