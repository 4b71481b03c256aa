/**
 * Compresses bytes with a dictionary of similar bytes. The result is their length and a block in the format
 * of LZ4. A thousand bytes take a few microseconds, which `node:zlib` needs just to start, and in Deno that
 * ignores dictionaries.
 */

import { memoize } from "./memoize.ts";

/** The minimum length of a repetition, and the number of bits of a hash of so many bytes. */
const [MIN_MATCH, HASH_BITS] = [4, 12];
/** Maximum distance of an offset in bytes. */
const MAX_OFFSET = 0xffff;
/** A length in half a token that means that more bytes of the length follow. */
const LONG = 15;
/** Maximum size in bytes of the buffers that are kept for the next call. */
const KEPT_BYTES = 64 * 1024;

/** The last position of each hash in a dictionary. */
const placesIn = memoize((dictionary: Uint8Array) => {
  const places = new Int32Array(1 << HASH_BITS).fill(-1);
  for (let at = 0; at + MIN_MATCH <= dictionary.length; at++) places[hashOf(wordAt(dictionary, at))] = at;
  return places;
});

/**
 * The positions of hashes in the input and the dictionary before it, and the block. Kept, because creating
 * them takes long.
 */
const places = new Int32Array(1 << HASH_BITS);
let bytes = new Uint8Array(KEPT_BYTES);
/** The same bytes, of which it reads four in one step. */
let words = new DataView(bytes.buffer);
let block = new Uint8Array(KEPT_BYTES);

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
}

function hashOf(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** Returns the compressed bytes. Only {@link decompressLz4} with the same dictionary reads them. */
export function compressLz4(input: Uint8Array, dictionary: Uint8Array): Uint8Array {
  const stop = dictionary.length + input.length;
  // 15 literals need at most one more byte, and every 255 more another one.
  const most = input.length + (input.length >> 3) + 16;
  if (bytes.length < stop) useBytes(stop);
  if (block.length < most) block = new Uint8Array(most);
  bytes.set(dictionary);
  bytes.set(input, dictionary.length);
  places.set(placesIn(dictionary));
  const compressed = block.slice(0, writeBlock({ start: dictionary.length, stop }));
  if (bytes.length > KEPT_BYTES) useBytes(KEPT_BYTES);
  if (block.length > KEPT_BYTES) block = new Uint8Array(KEPT_BYTES);
  return compressed;
}

function useBytes(length: number): void {
  bytes = new Uint8Array(length);
  words = new DataView(bytes.buffer);
}

/** Compresses `bytes` from `start` to `stop` into `block`. Returns the length of the block. */
function writeBlock({ start, stop }: { start: number; stop: number }): number {
  const [input, view] = [bytes, words];
  const last = stop - MIN_MATCH;
  let end = writeVarint(stop - start);
  let literals = start;
  let at = start;
  while (at <= last) {
    const word = view.getInt32(at, true);
    const hash = hashOf(word);
    let from = places[hash]!;
    places[hash] = at;
    if (from === -1 || at - from > MAX_OFFSET || view.getInt32(from, true) !== word) {
      at++;
      continue;
    }
    let first = at;
    while (first > literals && from > 0 && input[first - 1] === input[from - 1]) {
      first--;
      from--;
    }
    const offset = first - from;
    let next = at + MIN_MATCH;
    while (next < stop && input[next] === input[next - offset]) next++;
    end = writeSequence({ end, literals, first, length: next - first, offset });
    const known = Math.min(next, last + 1);
    for (at++; at < known; at++) places[hashOf(view.getInt32(at, true))] = at;
    at = literals = next;
  }
  return literals < stop ? writeSequence({ end, literals, first: stop, length: 0, offset: 0 }) : end;
}

/**
 * A part of a block: the bytes from `literals` to `first`, and a repetition, which has length 0 at the end of
 * the input.
 */
interface Sequence {
  /** Where it is written. */
  readonly end: number;
  readonly literals: number;
  readonly first: number;
  readonly length: number;
  readonly offset: number;
}

function writeSequence({ end: start, literals, first, length, offset }: Sequence): number {
  const [input, output] = [bytes, block];
  const count = first - literals;
  const more = length === 0 ? 0 : length - MIN_MATCH;
  output[start] = Math.min(count, LONG) << 4 | Math.min(more, LONG);
  let end = writeRest(start + 1, count);
  for (let at = literals; at < first; at++) output[end++] = input[at]!;
  if (length === 0) return end;
  output[end] = offset & 0xff;
  output[end + 1] = offset >> 8;
  return writeRest(end + 2, more);
}

function writeRest(start: number, length: number): number {
  if (length < LONG) return start;
  let end = start;
  let rest = length - LONG;
  for (; rest >= 255; rest -= 255) block[end++] = 255;
  block[end++] = rest;
  return end;
}

function writeVarint(value: number): number {
  let end = 0;
  let rest = value;
  for (; rest >= 128; rest >>= 7) block[end++] = rest & 127 | 128;
  block[end++] = rest;
  return end;
}

/** Returns the original bytes. Throws if the block is damaged, or if there are more than `max` bytes. */
export function decompressLz4(
  packed: Uint8Array,
  { dictionary, max }: { dictionary: Uint8Array; max: number },
): Uint8Array {
  let at = 0;
  const next = (): number => packed[at++] ?? refuse();
  let [size, scale, more] = [0, 1, true];
  while (more) {
    const byte = next();
    size += (byte & 127) * scale;
    if (size > max) refuse();
    [scale, more] = [scale * 128, byte > 127];
  }
  const lengthFrom = (half: number): number => {
    let length = half;
    for (let byte = half === LONG ? 255 : 0; byte === 255; length += byte) byte = next();
    return length;
  };
  const output = new Uint8Array(dictionary.length + size);
  output.set(dictionary);
  let end = dictionary.length;
  while (end < output.length) {
    const token = next();
    const literals = lengthFrom(token >> 4);
    if (at + literals > packed.length || end + literals > output.length) refuse();
    output.set(packed.subarray(at, at + literals), end);
    [at, end] = [at + literals, end + literals];
    if (end === output.length) break;
    const offset = next() | next() << 8;
    const length = MIN_MATCH + lengthFrom(token & LONG);
    if (offset === 0 || offset > end || end + length > output.length) refuse();
    // A repetition may overlap itself.
    for (const stop = end + length; end < stop; end++) output[end] = output[end - offset]!;
  }
  if (at !== packed.length) refuse();
  return output.subarray(dictionary.length);
}

function refuse(): never {
  throw new Error("Cannot decompress stored bytes: they are damaged");
}
