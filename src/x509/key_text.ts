/**
 * Decodes the base64, hex, base32 and lists of decimal bytes in a text. A key inside other base64 can begin at any of its four alignments, so
 * every run of such characters is decoded at each of them, unless its digits show that it contains neither a
 * key nor text. Takes linear time. The platform's decoders are used, because loops over the digits take five
 * times as long.
 */

import { Buffer } from "node:buffer";
import { constants, inflateRawSync } from "node:zlib";
import { BASE32, BASE64, DECIMAL, HEX, type Notation, ROLE, STEP } from "./key_notations.ts";

/** Minimum length of a run that is decoded: 24 characters of base64 contain the head of any form of key. */
export const MIN_RUN = 24;

/** Escapes between two pauses. */
const ESCAPES = 4 * 1024;
/** A row of `%2B`, `\x2b`, `\u002b`, `\n`, and backslashes in front of anything else. */
const ESCAPE = /((?:%[0-9A-Fa-f]{2}){1,4096})|\\+(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|[nrt])?/y;

/**
 * Yields the bytes of every run of base64 or hex that may contain a key or text, at each of its alignments, as
 * texts with one character for each byte. Yields undefined where long work may pause.
 */
export function* decodings(text: string): Generator<string | undefined, void> {
  yield* runsOf(text, BASE64);
  yield* runsOf(text, HEX);
  yield* runsOf(text, BASE32);
  yield* runsOf(text, DECIMAL);
  for (let start = 0; start < text.length; start += STEP) {
    if (start > 0) yield undefined;
    const lines = text.slice(start, start + STEP + MAX_DUMP).match(DUMP_LINE) ?? [];
    if (lines.length > 0) yield HEX.decode(lines.map((line) => line.replaceAll(NO_DUMP, "")).join(""));
  }
}

/** Returns the beginning of what is compressed by gzip, with one character for each byte; "" if it is too long. */
export function inflated(binary: string): string {
  // The name of the file may follow the header (RFC 1952 §2.3). What follows the member is ignored.
  const start = binary.charCodeAt(3) & 8 ? binary.indexOf("\0", 10) + 1 : 10;
  try {
    return inflateRawSync(Buffer.from(binary.slice(start, start + STEP), "latin1"), {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: 16 * STEP,
    }).toString("latin1");
  } catch {
    return "";
  }
}

/** A line of `xxd`, `hexdump -C` or `od -t x1`: an offset, and pairs of hex digits. */
const DUMP_LINE = /^[ \t>]*[0-9a-f]{6,16}:?[ \t]+(?:[0-9a-f]{2}[ \t]{0,2}){8,32}/gim;
/** The offset of such a line, and white space. */
const NO_DUMP = /^[ \t>]*[0-9a-f]+:?[ \t]+|[ \t]+/gi;
/** Characters of several lines of a dump, which contain the beginning of a key. */
const MAX_DUMP = 512;

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
  const { roles, digitsOf, stop } = notation;
  let digits = "";
  let paused = start;
  for (let at = start, escapes = 1;; escapes++) {
    if (escapes % ESCAPES === 0) yield undefined;
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
    const [, percents, hex = escape?.[3]] = escape ?? [];
    const characters = escape === null
      ? "%"
      : percents === undefined
      ? hex === undefined ? "" : String.fromCharCode(parseInt(hex, 16))
      : HEX.decode(percents.replaceAll("%", ""));
    const [first = "", ...others] = characters.split(stop);
    digits += digitsOf(first)[0];
    for (const other of others) {
      yield digits;
      digits = digitsOf(other)[0] ?? "";
    }
    at += escape?.[0].length ?? 1;
    if (at - paused >= STEP) {
      paused = at;
      yield undefined;
    }
  }
}

/**
 * Returns a position where a run can be divided without separating a zero or a backslash from the letter
 * after it.
 */
function cutBefore(text: string, cut: number, end: number): number {
  return cut < end && /^[0\\][nrtxX]/.test(text.slice(cut - 1, cut + 1)) ? cut - 1 : cut;
}
