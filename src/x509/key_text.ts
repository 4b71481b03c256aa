/** Octets out of base64 or hex text, one at a time and only as far as somebody asks. */

import type { Octets } from "./key_forms.ts";

const BASE64_VALUES = base64Values();
/** Characters after which a decoder gives up: white space between octets must not make it run through the text. */
const MAX_CHARACTERS = 2_000;

/** Decodes base64 or base64url from a place on; white space and the escapes `\n \r \t` are passed over. */
export function base64Octets(text: string, start: number): Octets {
  let position = start;
  let held = 0;
  let bits = 0;
  return () => {
    while (bits < 8) {
      let value = BASE64_VALUES[text.charCodeAt(position)] ?? -1;
      if (value === -1) {
        position = skipSpace(text, position);
        value = BASE64_VALUES[text.charCodeAt(position)] ?? -1;
        if (value === -1 || position - start > MAX_CHARACTERS) return -1;
      }
      position++;
      held = ((held << 6) | value) & 0xffff;
      bits += 6;
    }
    bits -= 8;
    return (held >> bits) & 0xff;
  };
}

/** Decodes pairs of hex digits from a place on; between pairs there may be white space, `:`, `-`, `,` or `0x`. */
export function hexOctets(text: string, start: number): Octets {
  let position = start;
  return () => {
    position = skipHexSeparators(text, position);
    if (position - start > MAX_CHARACTERS) return -1;
    const high = hexValue(text.charCodeAt(position));
    const low = hexValue(text.charCodeAt(position + 1));
    if (high === -1 || low === -1) return -1;
    position += 2;
    return high * 16 + low;
  };
}

function skipSpace(text: string, start: number): number {
  let position = start;
  for (; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === 0x5c && isEscape(text.charCodeAt(position + 1))) position++;
    else if (code > 0x20) break;
  }
  return position;
}

/** n, r, t */
function isEscape(code: number): boolean {
  return code === 0x6e || code === 0x72 || code === 0x74;
}

function skipHexSeparators(text: string, start: number): number {
  let position = skipSpace(text, start);
  for (let code = text.charCodeAt(position); code === 0x3a || code === 0x2d || code === 0x2c;) {
    position = skipSpace(text, position + 1);
    code = text.charCodeAt(position);
  }
  const prefixed = text.charCodeAt(position) === 0x30 && (text.charCodeAt(position + 1) | 0x20) === 0x78;
  return prefixed ? position + 2 : position;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function base64Values(): Int8Array {
  const values = new Int8Array(128).fill(-1);
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (const [index, letter] of [...letters].entries()) values[letter.charCodeAt(0)] = index;
  for (const letter of "+-") values[letter.charCodeAt(0)] = 62;
  for (const letter of "/_") values[letter.charCodeAt(0)] = 63;
  return values;
}
