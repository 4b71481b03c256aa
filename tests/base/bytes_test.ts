/** Hashes and random text. */

import assert from "node:assert/strict";
import { randomText, sha256Hex } from "../../src/base/bytes.ts";

Deno.test("SHA-256 is that of the octets; of a text, those of UTF-8 (FIPS 180-4, example)", () => {
  const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  assert.equal(sha256Hex("abc"), expected);
  assert.equal(sha256Hex(new TextEncoder().encode("abc")), expected);
  assert.equal(sha256Hex("ü"), sha256Hex(Uint8Array.of(0xc3, 0xbc)));
});

Deno.test("random text has the requested length, contains only letters and digits, and is different each time", () => {
  const seen = new Set<string>();
  for (let round = 0; round < 500; round++) {
    const text = randomText(40);
    assert.match(text, /^[A-Za-z0-9]{40}$/);
    seen.add(text);
  }
  assert.equal(seen.size, 500);
  assert.equal(randomText(0), "");
  assert.equal(randomText(1).length, 1);
});

Deno.test("each letter and digit is about as likely as the others", () => {
  const counts = new Map<string, number>();
  for (const letter of Array.from({ length: 62 }, () => randomText(1_000)).join("")) {
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  // 1,000 each are expected, with a deviation of 32; six deviations happen once in ten years of runs.
  for (const [letter, count] of counts) assert(Math.abs(count - 1_000) < 200, `${letter} ${count}`);
});
