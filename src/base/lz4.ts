/**
 * Compresses bytes against a dictionary of similar bytes: their length, then a block in the format of LZ4. For a thousand
 * bytes it takes some microseconds, no more than `node:zlib` needs to begin, and that ignores dictionaries in Deno.
 */

import { memoize } from "./memoize.ts";

/** The shortest repetition, and the bits of a hash of so many bytes. */
const [MIN_MATCH, HASH_BITS] = [4, 12];
/** Bytes that an offset reaches back. */
const MAX_OFFSET = 0xffff;
/** A length in half a token from which more bytes of it follow. */
const LONG = 15;

/** The last place of each hash in a dictionary. */
const placesIn = memoize((dictionary: Uint8Array) => {
  const places = new Int32Array(1 << HASH_BITS).fill(-1);
  for (let at = 0; at + MIN_MATCH <= dictionary.length; at++) places[hashAt(dictionary, at)] = at;
  return places;
});

/** The same in what is compressed. */
const places = new Int32Array(1 << HASH_BITS);

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
}

function hashAt(bytes: Uint8Array, at: number): number {
  return Math.imul(wordAt(bytes, at), 0x9e3779b1) >>> (32 - HASH_BITS);
}

/** Returns the compressed bytes. Only {@link decompress} with the same dictionary reads them. */
export function compress(input: Uint8Array, dictionary: Uint8Array): Uint8Array {
  const bytes = joined(dictionary, input);
  places.set(placesIn(dictionary));
  // Each 15 literals need a byte more at most, each 255 further ones another one.
  const output = new Uint8Array(input.length + (input.length >> 3) + 16);
  let end = writeVarint(output, input.length);
  let [literals, at] = [dictionary.length, dictionary.length];
  while (at + MIN_MATCH <= bytes.length) {
    const hash = hashAt(bytes, at);
    const found = places[hash]!;
    places[hash] = at;
    if (found === -1 || at - found > MAX_OFFSET || wordAt(bytes, found) !== wordAt(bytes, at)) {
      at++;
      continue;
    }
    let [start, from, stop] = [at, found, at + MIN_MATCH];
    while (start > literals && from > 0 && bytes[start - 1] === bytes[from - 1]) {
      [start, from] = [start - 1, from - 1];
    }
    while (stop < bytes.length && bytes[stop] === bytes[stop - start + from]) stop++;
    const offset = start - from;
    end = writeSequence(output, end, {
      literals: bytes.subarray(literals, start),
      length: stop - start,
      offset,
    });
    for (at++; at < stop; at++) if (at + MIN_MATCH <= bytes.length) places[hashAt(bytes, at)] = at;
    literals = stop;
  }
  if (literals < bytes.length) {
    end = writeSequence(output, end, { literals: bytes.subarray(literals), length: 0, offset: 0 });
  }
  return output.slice(0, end);
}

/** Writes literals and a repetition, of length 0 at the end of the input. Returns where the next one begins. */
function writeSequence(
  output: Uint8Array,
  start: number,
  { literals, length, offset }: { literals: Uint8Array; length: number; offset: number },
): number {
  const more = length === 0 ? 0 : length - MIN_MATCH;
  output[start] = Math.min(literals.length, LONG) << 4 | Math.min(more, LONG);
  let end = writeRest(output, start + 1, literals.length);
  output.set(literals, end);
  end += literals.length;
  if (length === 0) return end;
  output[end] = offset & 0xff;
  output[end + 1] = offset >> 8;
  return writeRest(output, end + 2, more);
}

function writeRest(output: Uint8Array, start: number, length: number): number {
  if (length < LONG) return start;
  let [end, rest] = [start, length - LONG];
  for (; rest >= 255; rest -= 255) output[end++] = 255;
  output[end++] = rest;
  return end;
}

function writeVarint(output: Uint8Array, value: number): number {
  let [end, rest] = [0, value];
  for (; rest >= 128; rest >>= 7) output[end++] = rest & 127 | 128;
  output[end++] = rest;
  return end;
}

/** Returns the bytes that were compressed. Throws if the block is damaged, or if there are more than `max`. */
export function decompress(
  block: Uint8Array,
  { dictionary, max }: { dictionary: Uint8Array; max: number },
): Uint8Array {
  let at = 0;
  const next = (): number => block[at++] ?? refuse();
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
  const bytes = new Uint8Array(dictionary.length + size);
  bytes.set(dictionary);
  let end = dictionary.length;
  while (end < bytes.length) {
    const token = next();
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length || end + literals > bytes.length) refuse();
    bytes.set(block.subarray(at, at + literals), end);
    [at, end] = [at + literals, end + literals];
    if (end === bytes.length) break;
    const offset = next() | next() << 8;
    const length = MIN_MATCH + lengthFrom(token & LONG);
    if (offset === 0 || offset > end || end + length > bytes.length) refuse();
    // A repetition may overlap itself.
    for (const stop = end + length; end < stop; end++) bytes[end] = bytes[end - offset]!;
  }
  if (at !== block.length) refuse();
  return bytes.subarray(dictionary.length);
}

function refuse(): never {
  throw new Error("Cannot decompress stored bytes: they are damaged");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
