/** A small writer of DER. Every function returns the bytes of a complete element. */

/** Joins byte strings. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

/** Returns an element: identifier, length and content. */
export function tlv(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concat(...content);
  return concat(Uint8Array.of(tag, ...lengthBytes(body.length)), body);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export function sequence(...items: readonly Uint8Array[]): Uint8Array {
  return tlv(0x30, ...items);
}

/** Returns a SET in the given order. */
export function set(...items: readonly Uint8Array[]): Uint8Array {
  return tlv(0x31, ...items);
}

/** Returns `[number] EXPLICIT`, or any constructed implicit tag. */
export function explicit(number: number, ...content: readonly Uint8Array[]): Uint8Array {
  return tlv(0xa0 | number, ...content);
}

/** Returns `[number] IMPLICIT` of a primitive type with these content bytes. */
export function implicit(number: number, content: Uint8Array): Uint8Array {
  return tlv(0x80 | number, content);
}

export function boolean(value: boolean): Uint8Array {
  return tlv(0x01, Uint8Array.of(value ? 0xff : 0));
}

/** Returns an INTEGER in its shortest form, or with exactly the given content bytes. */
export function integer(value: number | bigint | Uint8Array): Uint8Array {
  return tlv(0x02, value instanceof Uint8Array ? value : integerContent(BigInt(value)));
}

function integerContent(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  } while (rest !== 0n && rest !== -1n);
  if (value >= 0n && bytes[0]! >= 0x80) bytes.unshift(0);
  if (value < 0n && bytes[0]! < 0x80) bytes.unshift(0xff);
  return Uint8Array.from(bytes);
}

export function octetString(content: Uint8Array): Uint8Array {
  return tlv(0x04, content);
}

export function bitString(content: Uint8Array, unused = 0): Uint8Array {
  return tlv(0x03, Uint8Array.of(unused), content);
}

/** Returns a BIT STRING of named bits, without trailing zero bits. */
export function namedBits(bits: readonly number[]): Uint8Array {
  const highest = Math.max(-1, ...bits);
  const content = new Uint8Array(Math.ceil((highest + 1) / 8));
  for (const bit of bits) content[bit >> 3]! |= 0x80 >> (bit & 7);
  return bitString(content, content.length * 8 - highest - 1);
}

export function nothing(): Uint8Array {
  return tlv(0x05);
}

export function oid(dotted: string): Uint8Array {
  const [first = 0n, second = 0n, ...rest] = dotted.split(".").map(BigInt);
  return tlv(0x06, Uint8Array.from([first * 40n + second, ...rest].flatMap(base128)));
}

function base128(arc: bigint): number[] {
  const bytes = [Number(arc & 0x7fn)];
  for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) bytes.unshift(Number(rest & 0x7fn) | 0x80);
  return bytes;
}

export function utf8(text: string): Uint8Array {
  return tlv(0x0c, new TextEncoder().encode(text));
}

export function printable(text: string): Uint8Array {
  return tlv(0x13, ascii(text));
}

export function ia5(text: string): Uint8Array {
  return tlv(0x16, ascii(text));
}

/** Returns one byte for each character. */
export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Returns a UTCTime until 2049, a GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). `at` is in milliseconds. */
export function time(at: number): Uint8Array {
  const digits = new Date(at).toISOString().replace(/\.\d+Z$/, "").replace(/\D/g, "");
  const year = Number(digits.slice(0, 4));
  return year >= 1950 && year < 2050
    ? tlv(0x17, ascii(`${digits.slice(2)}Z`))
    : tlv(0x18, ascii(`${digits}Z`));
}
