/** Decodes the string types of ASN.1 and text files, and makes text safe to display. */

import { Buffer, isUtf8 } from "node:buffer";
import { contentOf, type Element, TAG } from "./der.ts";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
/**
 * Characters that change how the text around them is displayed: C0 and C1 controls, DEL, line and paragraph
 * separators, bidirectional and zero-width controls, invisible tags, the byte order mark, and lone
 * surrogates.
 */
const DISRUPTIVE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;
const DISRUPTIVE_RUN = new RegExp(`(?:${DISRUPTIVE.source})+`, "gu");
const PLAIN = /^[ -~]*$/;
/** Number of such characters of a text that are escaped. If it has more, each run of them is replaced. */
const MAX_ESCAPED = 1_000;

/** A decoded string; `warning` says which rule of its type it violates. */
export interface DecodedString {
  readonly text: string;
  readonly warning?: string;
}

/** Returns the text of a string element; undefined if it is not a string type or its bytes are not text. */
export function decodeString(element: Element): DecodedString | undefined {
  const content = contentOf(element);
  switch (element.tag) {
    case TAG.utf8String: {
      const text = decodeUtf8(content);
      return text === undefined ? undefined : { text };
    }
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.numericString:
    case TAG.visibleString:
      return decodeAscii(content);
    case TAG.teletexString:
      // In practice, T.61 strings are Latin-1.
      return { text: latin1(content) };
    case TAG.bmpString:
      return decodeUnits(content, 2);
    case TAG.universalString:
      return decodeUnits(content, 4);
    default:
      return undefined;
  }
}

/**
 * Decodes bytes that should be ASCII. Others are decoded as UTF-8 if they are valid, otherwise as Latin-1.
 */
export function decodeAscii(content: Uint8Array): DecodedString {
  for (const byte of content) {
    if (byte >= 0x80) return { text: decodeUtf8(content) ?? latin1(content), warning: "is not ASCII" };
  }
  return { text: latin1(content) };
}

/** Decodes UTF-8 strictly; undefined if the bytes are not valid. */
export function decodeUtf8(content: Uint8Array): string | undefined {
  // Not by a decoder that throws: an exception takes 100 times longer than reading a name.
  return isUtf8(content) ? utf8.decode(content) : undefined;
}

/** Number of bytes from which on the platform's decoder is faster, and needs less memory, than a loop. */
const LONG = 256;

/** Decodes each byte as one character. */
export function latin1(content: Uint8Array): string {
  const { buffer, byteOffset, length } = content;
  if (length > LONG) return Buffer.from(buffer, byteOffset, length).toString("latin1");
  let text = "";
  for (const byte of content) text += String.fromCharCode(byte);
  return text;
}

/**
 * Replaces characters that disturb a terminal or the order of the text by escapes such as `\u{202E}`. Escapes are up
 * to eight times longer, so a text of very many such characters gets U+FFFD for each run of them instead.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text.length > MAX_ESCAPED && text.length - text.replace(DISRUPTIVE, "").length > MAX_ESCAPED) {
    return text.replace(DISRUPTIVE_RUN, "\ufffd");
  }
  return text.replace(
    DISRUPTIVE,
    (character) => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase().padStart(2, "0")}}`,
  );
}

/** Decodes characters of 2 or 4 octets in big-endian order. */
function decodeUnits(content: Uint8Array, size: 2 | 4): DecodedString | undefined {
  if (content.length % size !== 0) return undefined;
  let text = "";
  for (let index = 0; index < content.length; index += size) {
    let value = 0;
    for (let byte = 0; byte < size; byte++) value = value * 256 + content[index + byte]!;
    if (value > 0x10ffff) return undefined;
    text += size === 2 ? String.fromCharCode(value) : String.fromCodePoint(value);
  }
  return { text };
}

const UTF16_BYTE_ORDER_MARKS = [[0xff, 0xfe, "utf-16le"], [0xfe, 0xff, "utf-16be"]] as const;

/** Returns the text of a text file; undefined for a binary one. DER begins with a SEQUENCE, text does not. */
export function decodeText(bytes: Uint8Array): string | undefined {
  for (const [first, second, encoding] of UTF16_BYTE_ORDER_MARKS) {
    if (bytes[0] === first && bytes[1] === second) return new TextDecoder(encoding).decode(bytes);
  }
  if (looksBinary(bytes)) return undefined;
  // The text around the blocks may be in any encoding, because the blocks are ASCII in all of them.
  return new TextDecoder().decode(bytes);
}

/**
 * Returns whether the bytes begin with a SEQUENCE. 0x30 is also the digit 0, so the next octet must be a long
 * or indefinite length, or control octets must follow.
 */
function looksBinary(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30) return bytes.subarray(0, 64).includes(0);
  return bytes.length < 2 || bytes[1]! >= 0x80 || bytes.subarray(1, 8).some((byte) => byte < 9);
}
