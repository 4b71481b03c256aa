/**
 * The bytes that base64 and hex within a text hold. A key inside other base64 begins at any of its four alignments, so
 * every run of such characters is decoded at each of them. Linear in the text.
 */

/** Minimum characters of a run that is decoded: 24 of base64 contain the head of any form of key. */
export const MIN_RUN = 24;

/** Characters or bytes between two pauses: some milliseconds at the most. */
export const STEP = 64 * 1024;

/** Marks in the tables for characters that are not digits. */
const MARK = {
  /** Ends a run. */
  none: 0xff,
  /** May occur between any two characters of a run. */
  skipped: 0xfe,
  /** Begins an escape: `\n`, `\u002b`, `%2B`. */
  escape: 0xfd,
  /** Skipped after a backslash (`\n`, `\x30`) or a zero (`0x30`); ends a run elsewhere. */
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

/** Values of digits, and marks of all other characters. */
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
  /** Number of digits after which byte boundaries repeat. */
  readonly alignments: number;
  /** Writes the bytes of all digits from `first` to `end`, and returns their number. */
  readonly decode: (digits: Uint8Array, range: { first: number; end: number }, bytes: Uint8Array) => number;
}

function* runsOf(text: string, notation: Notation): Generator<Uint8Array | undefined, void> {
  const { values, alignments, decode } = notation;
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
    reader ??= new RunReader(values, text, start);
    reader.begin(start);
    let end: RunEnd | undefined;
    do {
      end = reader.read(reader.at + STEP);
      if (end === undefined) {
        yield undefined;
        continue;
      }
      for (let first = 0; first < alignments && reader.count >= MIN_RUN; first++) {
        const length = decode(reader.digits, { first, end: reader.count }, reader.bytes);
        yield reader.bytes.subarray(0, length);
      }
      reader.count = 0;
    } while (end !== "text");
    at = reader.at + 1;
  }
}

/** The character that ended a run, or the character that its escape denotes. */
type RunEnd = "text" | "escape";

/** Reads runs of one text, with memory for the longest. */
class RunReader {
  readonly digits: Uint8Array;
  readonly bytes: Uint8Array;
  /** Place in the text. */
  at = 0;
  /** Digits that were read. */
  count = 0;
  readonly #values: Uint8Array;
  readonly #text: string;

  /** @param start where the first run begins. */
  constructor(values: Uint8Array, text: string, start: number) {
    this.#values = values;
    this.#text = text;
    const size = text.length - start;
    const memory = new Uint8Array(2 * size);
    this.digits = memory.subarray(0, size);
    this.bytes = memory.subarray(size);
  }

  begin(start: number): void {
    this.at = start;
    this.count = 0;
  }

  /** Adds digits up to `limit`. Returns the character that ended the run; undefined if the run continues. */
  read(limit: number): RunEnd | undefined {
    const values = this.#values;
    const digits = this.digits;
    const text = this.#text;
    const last = Math.min(limit, text.length);
    let count = this.count;
    let at = this.at;
    let end: RunEnd | undefined;
    while (at < last) {
      let value = values[text.charCodeAt(at)]!;
      if (value < MARK.letter) {
        digits[count++] = value;
        at++;
        continue;
      }
      if (value === MARK.none) {
        end = "text";
        break;
      }
      let length = 1;
      if (value === MARK.escape) {
        const [code, characters] = escapeAt(text, at);
        value = code === undefined ? MARK.skipped : values[code]!;
        length = characters;
      } else if (value === MARK.letter) {
        const before = text.charCodeAt(at - 1);
        if (before === 0x30 && count > 0) count--;
        if (before === 0x30 || before === 0x5c) value = MARK.skipped;
      }
      at += length;
      if (value < MARK.letter) digits[count++] = value;
      else if (value !== MARK.skipped) {
        end = "escape";
        break;
      }
    }
    this.at = at;
    this.count = count;
    return at === text.length && end === undefined ? "text" : end;
  }
}

const ESCAPE = /%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\[nrt]/y;

/** Returns the character that an escape denotes (undefined for one that is skipped), and the length of the escape. */
function escapeAt(text: string, at: number): [code: number | undefined, length: number] {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return [text[at] === "%" ? 0x25 : undefined, 1];
  const hex = match[1] ?? match[2] ?? match[3];
  return [hex === undefined ? undefined : Number.parseInt(hex, 16), match[0].length];
}

/** The bytes of an incomplete group are written, too, but not counted. */
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
