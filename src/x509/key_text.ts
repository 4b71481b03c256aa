/**
 * The bytes that base64 and hex within a text hold. A key inside other base64 begins at any of its four alignments, so
 * every run of such characters is decoded at each of them. Linear in the text. The decoders of the platform do the work:
 * loops over the digits take five times as long.
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
  /** Returns the digits of a run: several texts, if a character in between ends one. */
  readonly digitsOf: (run: string) => string[];
  /** Number of digits after which byte boundaries repeat. */
  readonly alignments: number;
  /** Returns a character for each byte. */
  readonly decode: (digits: string) => string;
}

/** What a character is for a notation. */
const PLACE = { outside: 0, inRun: 1, escape: 2 } as const;

/** Base64 and base64url. */
const BASE64: Notation = {
  ...charactersOf({ inRun: `${BASE64_DIGITS}-_${SPACE}`, escape: "\\%" }),
  digitsOf: (run) => {
    if (!/[\\%]/.test(run)) return [base64DigitsOf(run)];
    return base64DigitsOf(run.replaceAll(ESCAPES, unescaped)).split(/[^A-Za-z0-9+/]+/);
  },
  alignments: 4,
  // One digit alone is less than a byte.
  decode: (digits) => atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits),
};

/** Hex: between two pairs there may be `:`, `-`, `,`, `%`, `0x` or `\x`. Line ends may be escaped. */
const HEX: Notation = {
  ...charactersOf({ inRun: `${HEX_CHARACTERS}${SPACE}` }),
  digitsOf: (run) => run.replaceAll(/[0\\][nrtxX]/g, "").replaceAll(HEX_SPACES, "").split(/[^0-9A-Fa-f]+/),
  alignments: 2,
  decode: (digits) => Buffer.from(digits, "hex").toString("latin1"),
};

/** `%2B`, `\x2b`, `\u002b`, `\n`, and a backslash in front of anything else. */
const ESCAPES = /%([0-9A-Fa-f]{2})|\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[nrt])?/g;
const ESCAPE = new RegExp(ESCAPES, "y");
const SPACES = new RegExp(`[${SPACE}]+`, "g");
const HEX_SPACES = new RegExp(`[${SPACE}:,%\\\\-]+`, "g");

function base64DigitsOf(text: string): string {
  return text.replaceAll(SPACES, "").replaceAll("-", "+").replaceAll("_", "/");
}

function charactersOf(
  { inRun, escape = "" }: { inRun: string; escape?: string },
): Pick<Notation, "places" | "stop"> {
  const places = new Uint8Array(0x10000);
  for (const character of inRun) places[character.charCodeAt(0)] = PLACE.inRun;
  for (const character of escape) places[character.charCodeAt(0)] = PLACE.escape;
  return { places, stop: new RegExp(`[^${inRun.replaceAll(/[-\\]/g, "\\$&")}]`, "g") };
}

/** Returns the character that an escape denotes; nothing for a line end or a backslash alone. */
function unescaped(_: string, ...codes: (string | undefined)[]): string {
  const hex = codes[0] ?? codes[1] ?? codes[2];
  return hex === undefined ? "" : String.fromCharCode(Number.parseInt(hex, 16));
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
  const { places, digitsOf, alignments, decode } = notation;
  let paused = 0;
  for (let at = 0;; at++) {
    const probe = probeRun(text, places, at);
    if (probe >= text.length) return;
    const start = startOfRun(text, places, probe);
    at = probe;
    for (let next; (next = endOfPart(text, notation, at)) > at; at = next) {
      if (next - paused < STEP) continue;
      paused = next;
      yield undefined;
    }
    if (at - start < MIN_RUN) continue;
    for (const digits of digitsOf(text.slice(start, at))) {
      for (let first = 0; first < alignments && digits.length >= MIN_RUN; first++) {
        yield decode(digits.slice(first));
      }
    }
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

/** Returns where the run ends, or the place after its next escape. */
function endOfPart(text: string, { places, stop }: Notation, from: number): number {
  const near = Math.min(from + MIN_RUN, text.length);
  let at = from;
  while (at < near && places[text.charCodeAt(at)] === PLACE.inRun) at++;
  if (at === near) {
    stop.lastIndex = at;
    at = stop.test(text) ? stop.lastIndex - 1 : text.length;
  }
  if (places[text.charCodeAt(at)] !== PLACE.escape) return at;
  ESCAPE.lastIndex = at;
  return at + (ESCAPE.exec(text)?.[0].length ?? 1);
}
