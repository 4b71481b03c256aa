/** Compression against a dictionary. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { compressLz4, decompressLz4 } from "../../src/base/lz4.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const MAX = 1_000_000;

function noise(seed: number, length: number): Uint8Array {
  return createHash("shake256", { outputLength: Math.max(1, length) }).update(String(seed)).digest()
    .subarray(0, length);
}

function roundTrip(input: Uint8Array, dictionary: Uint8Array): number {
  const block = compressLz4(input, dictionary);
  const read = decompressLz4(block, { dictionary, max: input.length });
  assert.deepEqual(read.toHex(), input.toHex());
  return block.length;
}

Deno.test("decompression returns the original bytes, whatever their length, repetitions and dictionary", () => {
  const dictionary = noise(1, 3_000);
  for (let length = 0; length < 600; length++) {
    const random = noise(length, length);
    for (const known of [new Uint8Array(), dictionary, random]) {
      roundTrip(random, known);
      roundTrip(new Uint8Array(length).fill(7), known);
      roundTrip(Uint8Array.from({ length }, (_, at) => at % (1 + length % 11)), known);
      roundTrip(Uint8Array.from([...dictionary.subarray(length, 2 * length), ...random]), known);
    }
  }
  for (const length of [4_096, 65_535, 65_536, 70_000, 200_000]) {
    roundTrip(noise(length, length), dictionary);
    roundTrip(Uint8Array.from([...noise(5, 100), ...noise(length, length), ...noise(5, 100)]), dictionary);
    roundTrip(new Uint8Array(length), dictionary);
  }
});

Deno.test("repetitions and bytes of the dictionary compress to a few bytes; noise grows by at most a hundredth", () => {
  const dictionary = noise(1, 1_000);
  assert(roundTrip(dictionary, dictionary) <= 10);
  assert(roundTrip(encode("host.example.com ".repeat(50)), dictionary) <= 30);
  assert(roundTrip(noise(2, 10_000), dictionary) <= 10_100);
});

Deno.test("a block that is cut, longer, or larger than allowed is refused", () => {
  const dictionary = noise(1, 100);
  const input = encode("host.example.com ".repeat(3) + "end");
  const block = compressLz4(input, dictionary);
  for (let end = 0; end < block.length; end++) {
    assert.throws(() => decompressLz4(block.subarray(0, end), { dictionary, max: MAX }), /damaged/);
  }
  assert.throws(() => decompressLz4(Uint8Array.from([...block, 0]), { dictionary, max: MAX }), /damaged/);
  assert.throws(() => decompressLz4(block, { dictionary, max: input.length - 1 }), /damaged/);
});

Deno.test("damaged blocks are refused or decompress to the same length, and never take long", () => {
  const dictionary = noise(1, 100);
  for (let seed = 0; seed < 3_000; seed++) {
    try {
      assert(decompressLz4(noise(seed, seed % 60), { dictionary, max: 4_000 }).length <= 4_000);
    } catch (error) {
      assert.match(String(error), /damaged/);
    }
  }
});
