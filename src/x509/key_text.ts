/**
 * The bytes that base64 and hex within a text hold. A key inside other base64 begins at any of its four alignments, so
 * every run of such characters is decoded at each of them. Linear in the text.
 */

/** Characters from which on a run is decoded: 24 of base64 hold the head of any form of key. */
export const MIN_RUN = 24;

/** Characters or bytes between two pauses: some milliseconds at the most. */
export const STEP = 64 * 1024;

/** What the tables say of characters without a value of their own. */
const MARK = {
  /** Ends a run. */
  none: 0xff,
  /** May stand between any two characters of a run. */
  skipped: 0xfe,
  /** Begins an escape: `\n`, `\u002b`, `%2B`. */
  escape: 0xfd,
  /** Is skipped after a backslash (`\n`, `\x30`) or a zero (`0x30`), and ends a run elsewhere. */
  letter: 0xfc,
} as const;

/** White space, characters without width, and the null characters of UTF-16. */
const SPACE =
  "\0\t\n\v\f\r \u0085\u00a0\u00ad\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009" +
  "\u200a\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX_DIGITS = "0123456789abcdef";

/** Base64 and base64url. */
const BASE64 = table({
  digits: [BASE64_DIGITS, `${BASE64_DIGITS.slice(0, -2)}-_`],
  skipped: SPACE,
  escape: "\\%",
});
/** Hex: between two pairs there may be `:`, `-`, `,`, `%`, `0x` or `\x`. */
const HEX = table({
  digits: [HEX_DIGITS, HEX_DIGITS.toUpperCase()],
  skipped: `${SPACE}:-,%\\`,
  letter: "nrtxX",
});

/** Values of the digits, marks of all other characters. */
function table(
  { digits, ...marked }: { digits: string[]; skipped: string; escape?: string; letter?: string },
): Uint8Array {
  const values = new Uint8Array(0x10000).fill(MARK.none);
  for (const [mark, characters] of Object.entries(marked) as [keyof typeof MARK, string][]) {
    for (const character of characters) values[character.charCodeAt(0)] = MARK[mark];
  }
  for (const alphabet of digits) {
    for (const [value, digit] of [...alphabet].entries()) values[digit.charCodeAt(0)] = value;
  }
  return values;
}

/**
 * The bytes of every run of base64 or hex, at each of its alignments. Gives undefined where long work may pause. The
 * bytes are valid until the next ones are asked for: their memory is used again.
 */
export function* decodings(text: string): Generator<Uint8Array | undefined, void> {
  yield* runsOf(text, { values: BASE64, alignments: 4, decode: ofSextets });
  yield* runsOf(text, { values: HEX, alignments: 2, decode: ofNibbles });
}

/** One way of writing bytes as text. */
interface Notation {
  readonly values: Uint8Array;
  /** Digits after which the bounds of bytes are the same again. */
  readonly alignments: number;
  /** Writes the bytes of all digits from `first` to `end`, and gives their number. */
  readonly decode: (digits: Uint8Array, range: { first: number; end: number }, bytes: Uint8Array) => number;
}

function* runsOf(text: string, notation: Notation): Generator<Uint8Array | undefined, void> {
  const { values } = notation;
  let reader: RunReader | undefined;
  let paused = 0;
  for (let at = 0; at + MIN_RUN <= text.length;) {
    if (at - paused > STEP) {
      paused = at;
      yield undefined;
    }
    // Every long run covers this place, so ordinary text is passed in large steps.
    const probe = at + MIN_RUN - 1;
    if (values[text.charCodeAt(probe)] === MARK.none) {
      at = probe + 1;
      continue;
    }
    let start = probe;
    while (start > at && values[text.charCodeAt(start - 1)] !== MARK.none) start--;
    let end = probe + 1;
    while (end < text.length && values[text.charCodeAt(end)] !== MARK.none) end++;
    if (end - start >= MIN_RUN) {
      reader ??= new RunReader(notation, text);
      yield* reader.runs(start, end);
    }
    at = end + 1;
  }
}

/** Reads runs of one text, with memory for the longest. */
class RunReader {
  readonly #notation: Notation;
  readonly #text: string;
  readonly #digits: Uint8Array;
  readonly #bytes: Uint8Array;
  #at = 0;
  #count = 0;

  constructor(notation: Notation, text: string) {
    this.#notation = notation;
    this.#text = text;
    this.#digits = new Uint8Array(text.length);
    this.#bytes = new Uint8Array(text.length);
  }

  /** What a part of the text holds, in which there are only digits and marks. */
  *runs(start: number, end: number): Generator<Uint8Array | undefined, void> {
    const { alignments, decode } = this.#notation;
    this.#at = start;
    this.#count = 0;
    while (this.#at < end) {
      const goesOn = this.#read(Math.min(end, this.#at + STEP));
      if (goesOn && this.#at < end) yield undefined;
      else {
        for (let first = 0; first < alignments && this.#count >= MIN_RUN; first++) {
          const length = decode(this.#digits, { first, end: this.#count }, this.#bytes);
          yield this.#bytes.subarray(0, length);
        }
        this.#count = 0;
      }
    }
  }

  /** Adds digits up to `limit`, and tells whether the run goes on there; false after a mark that ends it. */
  #read(limit: number): boolean {
    const { values } = this.#notation;
    const digits = this.#digits;
    const text = this.#text;
    let count = this.#count;
    let at = this.#at;
    let goesOn = true;
    while (goesOn && at < limit) {
      let value = values[text.charCodeAt(at)]!;
      let length = 1;
      if (value >= MARK.letter && value !== MARK.skipped) {
        if (value === MARK.escape) {
          const [code, characters] = escapeAt(text, at);
          value = code === undefined ? MARK.skipped : values[code]!;
          length = characters;
        } else {
          const before = text.charCodeAt(at - 1);
          if (before === 0x30 && count > 0) count--;
          if (before === 0x30 || before === 0x5c) value = MARK.skipped;
        }
      }
      at += length;
      if (value < MARK.letter) digits[count++] = value;
      else goesOn = value === MARK.skipped;
    }
    this.#at = at;
    this.#count = count;
    return goesOn;
  }
}

const ESCAPE = /%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\[nrt]/y;

/** Returns the character that an escape is for, undefined for one that is skipped, and the length of the escape. */
function escapeAt(text: string, at: number): [code: number | undefined, length: number] {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return [text[at] === "%" ? 0x25 : undefined, 1];
  const hex = match[1] ?? match[2] ?? match[3];
  return [hex === undefined ? undefined : Number.parseInt(hex, 16), match[0].length];
}

/** Bytes of a group that is not whole are written too, but not counted. */
function ofSextets(
  digits: Uint8Array,
  { first, end }: { first: number; end: number },
  bytes: Uint8Array,
): number {
  for (let at = first, to = 0; at < end; at += 4, to += 3) {
    const group = digits[at]! << 18 | digits[at + 1]! << 12 | digits[at + 2]! << 6 | digits[at + 3]!;
    bytes[to] = group >> 16;
    bytes[to + 1] = group >> 8;
    bytes[to + 2] = group;
  }
  return Math.floor((end - first) * 6 / 8);
}

function ofNibbles(
  digits: Uint8Array,
  { first, end }: { first: number; end: number },
  bytes: Uint8Array,
): number {
  for (let at = first, to = 0; at < end; at += 2, to++) bytes[to] = digits[at]! << 4 | digits[at + 1]!;
  return (end - first) >> 1;
}
