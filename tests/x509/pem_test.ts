import assert from "node:assert/strict";
import { encodePem, readPem } from "../../src/x509/mod.ts";

const BYTES = Uint8Array.from({ length: 100 }, (_, index) => index);
const PEM = encodePem(BYTES);
const BODY = BYTES.toBase64();
const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";

Deno.test("the output has the form of RFC 7468", () => {
  assert.match(
    PEM,
    /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n[\w+/=]+\n-----END CERTIFICATE-----\n$/,
  );
  assert.equal(encodePem(new Uint8Array(), "X"), "-----BEGIN X-----\n-----END X-----\n");
});

for (
  const [title, text] of [
    ["as written", PEM],
    ["with CR LF", PEM.replaceAll("\n", "\r\n")],
    ["with CR only", PEM.replaceAll("\n", "\r")],
    ["indented", PEM.replace(/^/gm, "    \t")],
    ["with trailing spaces", PEM.replace(/$/gm, "  ")],
    ["with blank lines", PEM.replaceAll("\n", "\n\n \n")],
    ["on one line", PEM.replaceAll("\n", "")],
    ["on one line with spaces", PEM.replaceAll("\n", " ")],
    ["without a line end at its end", PEM.trimEnd()],
    ["with text before and after", `subject=CN = x\nBag Attributes: <none>\n${PEM}issuer: y`],
    ["behind a byte order mark", `\ufeff${PEM}`],
    ["with no-break spaces", PEM.replaceAll("\n", "\u00a0\n")],
    ["with very short lines", `${BEGIN}\n${[...BODY].join("\n")}\n${END}`],
    ["with the markers in the middle of a line", `"pem": "${BEGIN} ${BODY} ${END}",`],
    ["after RFC 1421 headers", `${BEGIN}\nSubject: CN=x\nX-Folded: a\n  b\n\n${BODY}\n${END}`],
  ] as const
) {
  Deno.test(`a block ${title} is read`, () => {
    const { blocks, findings } = readPem(text);
    assert.deepEqual(findings, []);
    assert.deepEqual(blocks.map(({ label, bytes }) => [label, bytes]), [["CERTIFICATE", BYTES]]);
  });
}

Deno.test("blocks are numbered and their lines counted, with any line ending", () => {
  const x509 = encodePem(BYTES, "X509 CRL");
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    const text = `first line\n${PEM}\n${x509}`.replaceAll("\n", lineEnd);
    const { blocks } = readPem(text);
    assert.deepEqual(blocks.map(({ label, block, line }) => [label, block, line]), [
      ["CERTIFICATE", 1, 2],
      ["X509 CRL", 2, 8],
    ]);
  }
});

for (
  const [title, text, code, line, block] of [
    ["text without a block", "no certificate here", "no_pem", undefined, undefined],
    ["an empty text", "", "no_pem", undefined, undefined],
    ["base64 without markers", BODY, "no_pem", undefined, undefined],
    [
      "markers with the wrong number of dashes",
      `----BEGIN CERTIFICATE----\n${BODY}`,
      "no_pem",
      undefined,
      undefined,
    ],
    ["a block without its end", `\n${BEGIN}\n${BODY}`, "malformed", 2, 1],
    ["an end without its beginning", `\n\n${BODY}\n${END}`, "malformed", 4, undefined],
    ["markers of two kinds", `${BEGIN}\n${BODY}\n-----END CERTIFICATE REQUEST-----`, "malformed", 1, 1],
    [
      "characters that are not base64",
      `${BEGIN}\n${BODY.slice(0, 40)}!${BODY.slice(41)}\n${END}`,
      "malformed",
      1,
      1,
    ],
    ["base64url characters", `${BEGIN}\n${BODY.slice(0, 40)}-_${BODY.slice(42)}\n${END}`, "malformed", 1, 1],
    ["missing padding", `${BEGIN}\n${BODY.replaceAll("=", "")}\n${END}`, "malformed", 1, 1],
    ["padding in the middle", `${BEGIN}\n${BODY}${BODY}\n${END}`, "malformed", 1, 1],
    ["padding bits that are set", `${BEGIN}\nAAAB\nAB==\n${END}`, "malformed", 1, 1],
    ["an impossible number of characters", `${BEGIN}\nAAAAA\n${END}`, "malformed", 1, 1],
    [
      "an encrypted block",
      `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\n${BODY}\n${END}`,
      "encrypted",
      1,
      1,
    ],
    ["headers without a blank line", `${BEGIN}\nSubject: x\n${BODY}\n${END}`, "malformed", 1, 1],
    ["a colon among the base64", `${BEGIN}\n${BODY}:\n\n${BODY}\n${END}`, "malformed", 1, 1],
  ] as const
) {
  Deno.test(`${title} is a finding with its position`, () => {
    const { blocks, findings } = readPem(text);
    assert.deepEqual(blocks, []);
    assert.deepEqual([findings.length, findings[0]!.code, findings[0]!.line, findings[0]!.block], [
      1,
      code,
      line,
      block,
    ]);
  });
}

Deno.test("an invalid block does not hide the blocks before and after it", () => {
  const { blocks, findings } = readPem(`${PEM}${BEGIN}\n!!!\n${END}\n${BEGIN}\n${PEM}`);
  assert.deepEqual(blocks.map(({ block, line }) => [block, line]), [[1, 1], [4, 10]]);
  assert.deepEqual(findings.map(({ block, line }) => [block, line]), [[2, 6], [3, 9]]);
});

Deno.test("more than 1,000 ends without beginnings exceed the limit", () => {
  const { findings } = readPem(`${END}\n`.repeat(1_002));
  assert.deepEqual([findings.length, findings[1_000]!.code, findings[1_000]!.line], [
    1_001,
    "too_large",
    1_001,
  ]);
});

Deno.test("more than 1,000 blocks exceed the limit", () => {
  const { blocks, findings } = readPem(`${BEGIN}AAAA${END}`.repeat(1_001));
  assert.equal(blocks.length, 1_000);
  assert.deepEqual([findings.length, findings[0]!.code, findings[0]!.message.includes("1000")], [
    1,
    "too_large",
    true,
  ]);
});
