/** Reads values of the primitive DER types (X.690 §8, §10, §11). */

import { contentOf, DerError, type Element } from "./der.ts";

/**
 * Maximum number of bytes of an arc of an OBJECT IDENTIFIER; UUIDs have 19. Longer ones would take quadratic
 * time.
 */
const MAX_ARC_BYTES = 64;
/** Maximum number of content bytes of an OBJECT IDENTIFIER, which messages quote. Known ones have at most 30. */
const MAX_OID_BYTES = 512;
/** Number of bits of a BIT STRING of named bits that are read. The standards name fewer than 16. */
const MAX_NAMED_BITS = 64;

/** Returns a BOOLEAN, which must be encoded as 00 or FF. */
export function booleanOf(element: Element, field: string): boolean {
  const value = element.source[element.contentStart];
  if (element.end - element.contentStart !== 1 || (value !== 0 && value !== 0xff)) {
    throw new DerError(`${field} is not a DER BOOLEAN`);
  }
  return value === 0xff;
}

/** Returns the content bytes of an INTEGER, which must be in its shortest form. */
export function integerOf(element: Element, field: string): Uint8Array {
  const content = contentOf(element);
  if (content.length === 0) throw new DerError(`${field} is an INTEGER without content`);
  if (!isMinimalInteger(content)) {
    throw new DerError(`${field} is an INTEGER that is not in its shortest form`);
  }
  return content;
}

/** Returns whether INTEGER content has no redundant first byte. */
export function isMinimalInteger(content: Uint8Array): boolean {
  if (content.length < 2) return content.length === 1;
  const first = content[0];
  const negative = content[1]! >= 0x80;
  return !(first === 0 && !negative) && !(first === 0xff && negative);
}

/** Returns a small INTEGER, from 0 to 2^31-1. */
export function smallIntegerOf(element: Element, field: string): number {
  const content = integerOf(element, field);
  if (content[0]! >= 0x80) throw new DerError(`${field} is negative`);
  if (content.length > 4) throw new DerError(`${field} is too large`);
  let value = 0;
  for (const byte of content) value = value * 256 + byte;
  return value;
}

/** Returns the length of a positive INTEGER in bits. */
export function bitLengthOf(content: Uint8Array): number {
  let index = 0;
  while (index < content.length && content[index] === 0) index++;
  if (index === content.length) return 0;
  return (content.length - index) * 8 - (Math.clz32(content[index]!) - 24);
}

/**
 * Returns the content of a BIT STRING: its bytes, and the number of unused bits in the last byte, which must
 * all be 0.
 */
export function bitStringOf(element: Element, field: string): { unused: number; bytes: Uint8Array } {
  const { unused, bytes, wellEncoded } = uncheckedBitStringOf(element, field);
  if (unused > 0 && bytes.length === 0) throw new DerError(`${field} is not a DER BIT STRING`);
  if (!wellEncoded) throw new DerError(`${field} has unused bits that are not 0`);
  return { unused, bytes };
}

/**
 * Works like {@link bitStringOf}, but accepts unused bits that are not 0; `wellEncoded` says whether they
 * are.
 */
export function uncheckedBitStringOf(
  element: Element,
  field: string,
): { unused: number; bytes: Uint8Array; wellEncoded: boolean } {
  const content = contentOf(element);
  const unused = content[0];
  if (unused === undefined || unused > 7) throw new DerError(`${field} is not a DER BIT STRING`);
  const bytes = content.subarray(1);
  const last = bytes[bytes.length - 1] ?? 0xff;
  return { unused, bytes, wellEncoded: (last & ((1 << unused) - 1)) === 0 };
}

/** Returns the content of a BIT STRING that is a whole number of bytes. */
export function wholeBitStringOf(element: Element, field: string): Uint8Array {
  const { unused, bytes } = bitStringOf(element, field);
  if (unused !== 0) throw new DerError(`${field} is not a whole number of bytes`);
  return bytes;
}

/** Returns the numbers of the bits that are set, of the first {@link MAX_NAMED_BITS}; the first bit is 0. */
export function setBitsOf(element: Element, field: string): number[] {
  const { bytes } = bitStringOf(element, field);
  const bits: number[] = [];
  for (let index = 0; index < Math.min(bytes.length * 8, MAX_NAMED_BITS); index++) {
    if ((bytes[index >> 3]! & (0x80 >> (index & 7))) !== 0) bits.push(index);
  }
  return bits;
}

/** Returns an OBJECT IDENTIFIER in dotted form. */
export function oidOf(element: Element, field: string): string {
  return oidText(contentOf(element), field);
}

/** Returns OBJECT IDENTIFIER content (also of an implicitly tagged one) in dotted form. */
export function oidText(content: Uint8Array, field: string): string {
  const length = content.length;
  if (length === 0 || length > MAX_OID_BYTES || content[length - 1]! >= 0x80) {
    throw new DerError(`${field} is not an OBJECT IDENTIFIER`);
  }
  let text = "";
  let arc = 0;
  let arcStart = 0;
  let big = 0n;
  let started = false;
  for (let index = 0; index < length; index++) {
    const byte = content[index]!;
    if ((!started && byte === 0x80) || index - arcStart === MAX_ARC_BYTES) {
      throw new DerError(`${field} is not an OBJECT IDENTIFIER`);
    }
    started = byte >= 0x80;
    // Arcs above 2^53 (UUIDs) need a bigint. All others stay numbers, which are faster.
    if (big > 0n || arc > 0x3ffffffffff) {
      big = ((big > 0n ? big : BigInt(arc)) << 7n) | BigInt(byte & 0x7f);
    } else arc = arc * 128 + (byte & 0x7f);
    if (started) continue;
    text += text === "" ? firstArcs(arc, big) : `.${big > 0n ? big : arc}`;
    arc = 0;
    arcStart = index + 1;
    big = 0n;
  }
  return text;
}

function firstArcs(arc: number, big: bigint): string {
  if (big > 0n) return `2.${big - 80n}`;
  const first = Math.min(Math.floor(arc / 40), 2);
  return `${first}.${arc - first * 40}`;
}
