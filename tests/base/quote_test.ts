import assert from "node:assert/strict";
import { MAX_QUOTED_CHARS, quoteJson } from "../../src/base/quote.ts";

const QUOTED: readonly [value: unknown, text: string][] = [
  ["soon", '"soon"'],
  [7, "7"],
  [null, "null"],
  [undefined, "undefined"],
  [{ a: ["b"] }, '{"a":["b"]}'],
  ['a"b\\', '"a\\"b\\\\"'],
  ["a\n\0\x1b", '"a\\n\\u0000\\u001b"'],
  ["a\u202eb\u200bc\u2066d\ufeff", '"a\\u202eb\\u200bc\\u2066d\\ufeff"'],
  ["x".repeat(MAX_QUOTED_CHARS - 2), `"${"x".repeat(MAX_QUOTED_CHARS - 2)}"`],
  ["x".repeat(MAX_QUOTED_CHARS), `"${"x".repeat(MAX_QUOTED_CHARS - 1)}…`],
  [["x".repeat(1_000_000)], `["${"x".repeat(MAX_QUOTED_CHARS - 2)}…`],
];

for (const [value, text] of QUOTED) {
  Deno.test(`a message quotes ${text.slice(0, 40)}`, () => assert.equal(quoteJson(value), text));
}

Deno.test("a quote is well-formed text, also where it is cut inside a character", () => {
  for (let length = 90; length < 110; length++) {
    assert(quoteJson("x".repeat(length) + "🙂".repeat(60)).isWellFormed(), `${length}`);
    assert(quoteJson(["x".repeat(length) + "🙂".repeat(60)]).isWellFormed(), `${length}`);
  }
});
