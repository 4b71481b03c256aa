/**
 * Decodes the base64 and hex in a text. A key inside other base64 can begin at any of its four alignments, so
 * every run of such characters is decoded at each of them, unless its digits show that it contains neither a
 * key nor text. Takes linear time. The platform's decoders are used, because loops over the digits take five
 * times as long.
 */

import { Buffer } from "node:buffer";
import { KEY_OCTETS } from "./key_forms.ts";

/** Minimum length of a run that is decoded: 24 characters of base64 contain the head of any form of key. */
export const MIN_RUN = 24;

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
interface Notation {
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
const ROLE = { outside: 0, inRun: 1, escape: 2 } as const;

/** Base64 and base64url. */
const BASE64: Notation = {
  ...charactersOf({ inRun: `${BASE64_DIGITS}-_${SPACE}`, escape: "\\%" }),
  digitsOf: (part) => [part.replaceAll(SPACES, "").replaceAll("-", "+").replaceAll("_", "/")],
  // Four digits are three ASCII characters only if bits 5, 3 and 1 of the first three digits are 0. Eight
  // characters contain two such groups.
  mayHold: new RegExp(
    `${[...new Set(KEY_OCTETS.flatMap(digitsWithin))].join("|")}|(?:[A-Za-f][A-HQ-Xg-nw-z0-3]` +
      "[ABEFIJMNQRUVYZcdghklopstwx014589].){2}",
  ),
  alignments: 4,
  // One digit alone is less than a byte.
  decode: (digits) => atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits),
};

/** Hex: pairs may be separated by `:`, `-`, `,`, `%`, `0x` or `\x`. Line ends may be escaped. */
const HEX: Notation = {
  ...charactersOf({ inRun: `${HEX_CHARACTERS}${SPACE}` }),
  digitsOf: (part) => part.replaceAll(HEX_SPACES, "").split(/[nrtxX]+/),
  mayHold: new RegExp(
    `${KEY_OCTETS.map((octets) => octets.toHex()).join("|")}|(?:[2-7][0-9a-f]|0[09a-d]){8}`,
    "i",
  ),
  alignments: 2,
  decode: (digits) => {
    const { buffer } = Uint8Array.fromHex(digits.length % 2 === 1 ? digits.slice(0, -1) : digits);
    return Buffer.from(buffer).toString("latin1");
  },
};

/** `%2B`, `\x2b`, `\u002b`, `\n`, and a backslash in front of anything else. */
const ESCAPE = /%([0-9A-Fa-f]{2})|\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[nrt])?/y;
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

/**
 * Yields the bytes of every run of base64 or hex that may contain a key or text, at each of its alignments, as
 * texts with one character for each byte. Yields undefined where long work may pause.
 */
export function* decodings(text: string): Generator<string | undefined, void> {
  yield* runsOf(text, BASE64);
  yield* runsOf(text, HEX);
}

function* runsOf(text: string, notation: Notation): Generator<string | undefined, void> {
  const { roles, mayHold, alignments, decode } = notation;
  let paused = 0;
  for (let at = 0;; at++) {
    if (at - paused > STEP) {
      paused = at;
      yield undefined;
    }
    const probe = probeRun(text, roles, at);
    if (probe >= text.length) return;
    const start = startOfRun(text, roles, probe);
    at = endOfPart(text, notation, probe);
    const isShort = at - start < MIN_RUN;
    if (isShort && roles[text.charCodeAt(at)] !== ROLE.escape) continue;
    const reader = digitsOfRun(text, notation, start);
    let step = reader.next();
    for (; step.done !== true; step = reader.next()) {
      const digits = step.value;
      if (digits === undefined) yield undefined;
      else if (digits.length >= MIN_RUN && (yield* mayHoldMore(digits, mayHold))) {
        for (let first = 0; first < alignments; first++) yield decode(digits.slice(first));
      }
    }
    at = step.value;
  }
}

/** Returns whether digits may hold a key or text. Yields undefined where long work may pause. */
function* mayHoldMore(digits: string, mayHold: RegExp): Generator<undefined, boolean> {
  for (let start = 0; start < digits.length; start += STEP) {
    if (start > 0) yield undefined;
    // The parts overlap by more digits than the expressions match.
    if (mayHold.test(digits.slice(start, start + STEP + MIN_RUN))) return true;
  }
  return false;
}

/**
 * Returns the first of the probed positions that is in a run. Every long run contains one, so that ordinary
 * text is skipped in large steps.
 */
function probeRun(text: string, roles: Uint8Array, from: number): number {
  let probe = from + MIN_RUN - 1;
  while (probe < text.length && roles[text.charCodeAt(probe)] === ROLE.outside) probe += MIN_RUN;
  return probe;
}

function startOfRun(text: string, roles: Uint8Array, probe: number): number {
  let start = probe;
  while (start > 0 && roles[text.charCodeAt(start - 1)] !== ROLE.outside) start--;
  return start;
}

/** Returns where the run ends, or its next escape begins. */
function endOfPart(text: string, { roles, stop }: Notation, from: number): number {
  const near = Math.min(from + MIN_RUN, text.length);
  let at = from;
  while (at < near && roles[text.charCodeAt(at)] === ROLE.inRun) at++;
  if (at < near) return at;
  stop.lastIndex = at;
  return stop.test(text) ? stop.lastIndex - 1 : text.length;
}

/** Yields the digits of a run, and undefined where long work may pause. Returns where the run ends. */
function* digitsOfRun(
  text: string,
  notation: Notation,
  start: number,
): Generator<string | undefined, number> {
  const { roles, digitsOf } = notation;
  let digits = "";
  let paused = start;
  for (let at = start;;) {
    const end = endOfPart(text, notation, at);
    while (at < end) {
      const cut = cutBefore(text, Math.min(at + STEP, end), end);
      const [first = "", ...others] = digitsOf(text.slice(at, cut));
      digits += first;
      for (const other of others) {
        yield digits;
        digits = other;
      }
      at = cut;
      if (at - paused >= STEP) {
        paused = at;
        yield undefined;
      }
    }
    ESCAPE.lastIndex = at;
    const escape = roles[text.charCodeAt(at)] === ROLE.escape ? ESCAPE.exec(text) : undefined;
    if (escape === undefined) {
      yield digits;
      return at;
    }
    const hex = escape?.[1] ?? escape?.[2] ?? escape?.[3];
    const character = escape === null ? "%" : hex === undefined ? "" : String.fromCharCode(parseInt(hex, 16));
    if (character === "" || roles[character.charCodeAt(0)] === ROLE.inRun) digits += digitsOf(character)[0];
    else {
      yield digits;
      digits = "";
    }
    at += escape?.[0].length ?? 1;
  }
}

/**
 * Returns a position where a run can be divided without separating a zero or a backslash from the letter
 * after it.
 */
function cutBefore(text: string, cut: number, end: number): number {
  return cut < end && /^[0\\][nrtxX]/.test(text.slice(cut - 1, cut + 1)) ? cut - 1 : cut;
}
