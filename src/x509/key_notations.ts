/** Ways to write bytes as text in which private keys are searched: base64, hex, base32, decimal bytes. */

import { Buffer } from "node:buffer";
import { BLOB_DIGITS, KEY_OCTETS } from "./key_forms.ts";

/** Characters or bytes between two pauses: a few milliseconds at most. */
export const STEP = 64 * 1024;

/** White space, zero-width characters, and the null characters of UTF-16. */
const SPACE =
  "\0\t\n\v\f\r \u0085\u00a0\u00ad\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009" +
  "\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Digits, separators of pairs, and letters of escapes. */
const HEX_CHARACTERS = "0123456789abcdefABCDEF:-,%\\nrtxX";

/** A way to write bytes as text. */
export interface Notation {
  /** The role of each character ({@link ROLE}). */
  readonly roles: Uint8Array;
  /** Finds the next character that is not in a run: many times as fast as a loop if it is far away. */
  readonly stop: RegExp;
  /**
   * Returns the digits of a part of a run without escapes: several texts if a character in between ends one.
   */
  readonly digitsOf: (part: string) => string[];
  /** Finds digits of a key or of eight consecutive ASCII characters, at any alignment. */
  readonly mayHold: RegExp;
  /** Number of digits after which byte boundaries repeat. */
  readonly alignments: number;
  /** Returns a character for each byte. */
  readonly decode: (digits: string) => string;
}

/** The role of a character in a notation. */
export const ROLE = { outside: 0, inRun: 1, escape: 2 } as const;

/** Base64 and base64url. */
export const BASE64: Notation = {
  ...charactersOf({ inRun: `${BASE64_DIGITS}-_${SPACE}`, escape: "\\%" }),
  digitsOf: (part) => [part.replaceAll(SPACES, "").replaceAll("-", "+").replaceAll("_", "/")],
  // Four digits are three ASCII characters only if bits 5, 3 and 1 of the first three digits are 0. Eight
  // characters contain two such groups.
  mayHold: new RegExp(
    `${
      [...new Set(KEY_OCTETS.flatMap(digitsWithin))].join("|")
    }|${BLOB_DIGITS.base64}|H4sI|(?:[A-Za-f][A-HQ-Xg-nw-z0-3]` +
      "[ABEFIJMNQRUVYZcdghklopstwx014589].){2}",
  ),
  alignments: 4,
  // One digit alone is less than a byte.
  decode: (digits) => atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits),
};

/** Hex: pairs may be separated by `:`, `-`, `,`, `%`, `0x` or `\x`. Line ends may be escaped. */
export const HEX: Notation = {
  ...charactersOf({ inRun: `${HEX_CHARACTERS}${SPACE}` }),
  digitsOf: (part) => part.replaceAll(HEX_SPACES, "").split(/[nrtxX]+/),
  mayHold: new RegExp(
    `${
      KEY_OCTETS.map((octets) => octets.toHex()).join("|")
    }|${BLOB_DIGITS.hex}|1f8b08|(?:[2-7][0-9a-f]|0[09a-d]){8}`,
    "i",
  ),
  alignments: 2,
  decode: (digits) => {
    const { buffer } = Uint8Array.fromHex(digits.length % 2 === 1 ? digits.slice(0, -1) : digits);
    return Buffer.from(buffer).toString("latin1");
  },
};

const BASE32_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 (RFC 4648) in upper or lower case. Spaces end a run, because prose has the same characters. */
export const BASE32: Notation = {
  ...charactersOf({ inRun: `${BASE32_DIGITS}${BASE32_DIGITS.toLowerCase()}\r\n` }),
  digitsOf: (part) => [part.replace(/[\r\n]+/g, "").toUpperCase()],
  mayHold: new RegExp(
    [...KEY_OCTETS, new TextEncoder().encode("-----BEGIN")].flatMap((octets) =>
      [0, 1, 2, 3, 4].map((offset) => base32Within(octets, offset))
    ).join("|"),
  ),
  alignments: 8,
  // A longer run would block. A key at its beginning is in this part.
  decode: (digits) => fromBase32(digits.slice(0, STEP / 4)),
};

/** A list of bytes in decimal notation, as JSON and programs print them; Java's are signed. */
export const DECIMAL: Notation = {
  ...charactersOf({ inRun: `0123456789,-${SPACE}` }),
  digitsOf: (part) => [
    part.replace(
      /-?\d+|[^\d-]+/g,
      (one) => /\d/.test(one) ? (Number(one) & 0xff).toString(16).padStart(2, "0") : "",
    ),
  ],
  mayHold: HEX.mayHold,
  alignments: 2,
  decode: HEX.decode,
};

const SPACES = new RegExp(`[${SPACE}]+`, "g");
const HEX_SPACES = new RegExp(`[0\\\\][nrtxX]|[${SPACE}:,%\\\\-]`, "g");

function charactersOf(
  { inRun, escape = "" }: { inRun: string; escape?: string },
): Pick<Notation, "roles" | "stop"> {
  const roles = new Uint8Array(0x10000);
  for (const character of inRun) roles[character.charCodeAt(0)] = ROLE.inRun;
  for (const character of escape) roles[character.charCodeAt(0)] = ROLE.escape;
  return { roles, stop: new RegExp(`[^${inRun.replaceAll(/[-\\]/g, "\\$&")}]`, "g") };
}

/**
 * Returns the base64 digits that octets determine completely, for each offset within a group of three octets,
 * as they are written in a regular expression.
 */
function digitsWithin(octets: Uint8Array): string[] {
  return [0, 1, 2].map((offset) => {
    const digits = Uint8Array.of(...new Uint8Array(offset), ...octets).toBase64();
    const bits = 8 * (offset + octets.length);
    return digits.slice(Math.ceil(8 * offset / 6), Math.floor(bits / 6)).replaceAll("+", "\\+");
  });
}

/** Returns the base32 digits that octets determine completely, `offset` octets after a group of five. */
function base32Within(octets: Uint8Array, offset: number): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, "0")).join("");
  const whole = bits.slice((5 - (8 * offset) % 5) % 5);
  return (whole.match(/.{5}/g) ?? []).map((digit) => BASE32_DIGITS[parseInt(digit, 2)]).join("");
}

function fromBase32(digits: string): string {
  let binary = "";
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    value = (value << 5 | BASE32_DIGITS.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    binary += String.fromCharCode(value >> bits & 0xff);
  }
  return binary;
}
