/**
 * The bytes that base64 and hex within a text hold. A key inside other base64 begins at any of its four alignments, so
 * every run of such characters is decoded at each of them. Linear in the text. The decoders of the platform do the
 * work: loops over the digits take five times as long.
 */

import { Buffer } from "node:buffer";

/** Minimum characters of a run that is decoded: 24 of base64 contain the head of any form of key. */
export const MIN_RUN = 24;

/** Characters or bytes between two pauses: some milliseconds at the most. */
export const STEP = 64 * 1024;

/** White space, characters without width, and the null characters of UTF-16. */
const SPACE =
  "\0\t\n\v\f\r \u0085\u00a0\u00ad\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009" +
  "\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Digits, what may stand between two pairs, and letters of escapes. */
const HEX_CHARACTERS = "0123456789abcdefABCDEF:-,%\\nrtxX";

/** One way of writing bytes as text. */
interface Notation {
  /** What each character is. */
  readonly places: Uint8Array;
  /** Finds the next character that is not in a run: many times as fast as a loop, where it is far away. */
  readonly stop: RegExp;
  /** Returns the digits of a part of a run without escapes: several texts, if a character in between ends one. */
  readonly digitsOf: (part: string) => string[];
  /** Number of digits after which byte boundaries repeat. */
  readonly alignments: number;
  /** Returns a character for each byte. */
  readonly decode: (digits: string) => string;
}

/** The role of a character in a notation. */
const PLACE = { outside: 0, inRun: 1, escape: 2 } as const;

/** Base64 and base64url. */
const BASE64: Notation = {
  ...charactersOf({ inRun: `${BASE64_DIGITS}-_${SPACE}`, escape: "\\%" }),
  digitsOf: (part) => [part.replaceAll(SPACES, "").replaceAll("-", "+").replaceAll("_", "/")],
  alignments: 4,
  // One digit alone is less than a byte.
  decode: (digits) => atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits),
};

/** Hex: between two pairs there may be `:`, `-`, `,`, `%`, `0x` or `\x`. Line ends may be escaped. */
const HEX: Notation = {
  ...charactersOf({ inRun: `${HEX_CHARACTERS}${SPACE}` }),
  digitsOf: (part) => part.replaceAll(HEX_SPACES, "").split(/[nrtxX]+/),
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
): Pick<Notation, "places" | "stop"> {
  const places = new Uint8Array(0x10000);
  for (const character of inRun) places[character.charCodeAt(0)] = PLACE.inRun;
  for (const character of escape) places[character.charCodeAt(0)] = PLACE.escape;
  return { places, stop: new RegExp(`[^${inRun.replaceAll(/[-\\]/g, "\\$&")}]`, "g") };
}

/**
 * The bytes of every run of base64 or hex, at each of its alignments, as texts with a character for each byte. Gives
 * undefined where long work may pause.
 */
export function* decodings(text: string): Generator<string | undefined, void> {
  yield* runsOf(text, BASE64);
  yield* runsOf(text, HEX);
}

function* runsOf(text: string, notation: Notation): Generator<string | undefined, void> {
  const { places, alignments, decode } = notation;
  let paused = 0;
  for (let at = 0;; at++) {
    if (at - paused > STEP) {
      paused = at;
      yield undefined;
    }
    const probe = probeRun(text, places, at);
    if (probe >= text.length) return;
    const start = startOfRun(text, places, probe);
    at = endOfPart(text, notation, probe);
    const isShort = at - start < MIN_RUN;
    if (isShort && places[text.charCodeAt(at)] !== PLACE.escape) continue;
    const reader = digitsOfRun(text, notation, start);
    let step = reader.next();
    for (; step.done !== true; step = reader.next()) {
      const digits = step.value;
      if (digits === undefined) yield undefined;
      else {
        for (let first = 0; first < alignments && digits.length >= MIN_RUN; first++) {
          yield decode(digits.slice(first));
        }
      }
    }
    at = step.value;
  }
}

/**
 * Returns the first of the probed places that is in a run; every long run has one. So ordinary text is passed in large
 * steps.
 */
function probeRun(text: string, places: Uint8Array, from: number): number {
  let probe = from + MIN_RUN - 1;
  while (probe < text.length && places[text.charCodeAt(probe)] === PLACE.outside) probe += MIN_RUN;
  return probe;
}

function startOfRun(text: string, places: Uint8Array, probe: number): number {
  let start = probe;
  while (start > 0 && places[text.charCodeAt(start - 1)] !== PLACE.outside) start--;
  return start;
}

/** Returns where the run ends, or its next escape begins. */
function endOfPart(text: string, { places, stop }: Notation, from: number): number {
  const near = Math.min(from + MIN_RUN, text.length);
  let at = from;
  while (at < near && places[text.charCodeAt(at)] === PLACE.inRun) at++;
  if (at < near) return at;
  stop.lastIndex = at;
  return stop.test(text) ? stop.lastIndex - 1 : text.length;
}

/** Gives the digits of a run, and undefined where long work may pause. Returns where the run ends. */
function* digitsOfRun(
  text: string,
  notation: Notation,
  start: number,
): Generator<string | undefined, number> {
  const { places, digitsOf } = notation;
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
    const escape = places[text.charCodeAt(at)] === PLACE.escape ? ESCAPE.exec(text) : undefined;
    if (escape === undefined) {
      yield digits;
      return at;
    }
    const hex = escape?.[1] ?? escape?.[2] ?? escape?.[3];
    const character = escape === null ? "%" : hex === undefined ? "" : String.fromCharCode(parseInt(hex, 16));
    if (character === "" || places[character.charCodeAt(0)] === PLACE.inRun) digits += digitsOf(character)[0];
    else {
      yield digits;
      digits = "";
    }
    at += escape?.[0].length ?? 1;
  }
}

/** Returns a place to divide a run, which is not between a zero or a backslash and the letter that belongs to it. */
function cutBefore(text: string, cut: number, end: number): number {
  return cut < end && /^[0\\][nrtxX]/.test(text.slice(cut - 1, cut + 1)) ? cut - 1 : cut;
}
