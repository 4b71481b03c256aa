/** Serial numbers and fingerprints as programs and people write them. */

import assert from "node:assert/strict";
import { hexFinding, readHexDigits } from "../../../src/base/spellings/hex.ts";

const CASES: readonly (readonly [text: string, digits: string | undefined])[] = [
  ["0a1b", "0a1b"],
  ["00:0A:1B:05", "000A1B05"],
  ["0a:1b:09:", "0a1b09"],
  ["\u200e0a1b01", "0a1b01"],
  ["\u202a0a1b0c\u202c", "0a1b0c"],
  ["\u00a00A1B07\u00a0", "0A1B07"],
  ["0a 1b 02", "0a1b02"],
  ["0a\u00a01b\u202f02", "0a1b02"],
  ["0A-1B-04", "0A1B04"],
  ["0x0A1B03", "0A1B03"],
  ["0X0a:1b", "0a1b"],
  ["0A1B0Ah", "0A1B0A"],
  ["(0A1B0B)", "0A1B0B"],
  ["'0A1B06", "0A1B06"],
  ["1234 (0x4d2)", "4d2"],
  ["serial=0A1B", "0A1B"],
  ["Serial Number: 0a:1b", "0a1b"],
  ["SHA256 Fingerprint=AA:BB", "AABB"],
  ["123456789012345678901234567890", "123456789012345678901234567890"],
  ["1234 (0x4d3)", undefined],
  ["1.23457E+15", undefined],
  ["1,2E+3", undefined],
  ["-0A1B08", undefined],
  ["0a1b,0a1c", undefined],
  ["0x", undefined],
  ["xyz", undefined],
  ["::", undefined],
  ["", undefined],
  ["0".repeat(1_000), undefined],
];
for (const [text, digits] of CASES) {
  Deno.test(`${JSON.stringify(text.slice(0, 40))} has the digits ${digits ?? "of no number"}`, () => {
    assert.equal(readHexDigits(text), digits);
  });
}

Deno.test("The message about a refused number names the digits that can be meant, or the reason", () => {
  const codeOf = (text: string, digits?: [number, number]): unknown[] => {
    const { code, params } = hexFinding(text, {
      expected: "Enter digits",
      value: text,
      ...(digits && { digits }),
    });
    return [code, params.suggestion];
  };
  assert.deepEqual(codeOf("0x0A1B", [1, 64]), ["invalid_hex", "0A1B"]);
  assert.deepEqual(codeOf("0x0A1B", [64, 64]), ["invalid_hex", undefined]);
  assert.deepEqual(codeOf("1.23457E+15"), ["rounded_number", undefined]);
  for (const text of ["0A:1B", ":12", "xyz", "-1"]) {
    assert.deepEqual(codeOf(text), ["invalid_hex", undefined], text);
  }
});
