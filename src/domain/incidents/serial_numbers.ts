/** Reads the serial numbers that an authority or a spreadsheet lists: a text, or the column of a table. Pure. */

import { type Finding, finding } from "../../base/findings.ts";
import type { Pause } from "../../base/pace.ts";
import { hexFinding, readHexDigits } from "../../base/spellings/hex.ts";
import { readLayout } from "../../base/spellings/tables.ts";
import { quote } from "../../resource/mod.ts";
import { columnMeant } from "../certificates/import/mod.ts";

/** Maximum length of a table: a hundred thousand rows with a name and dates. */
const MAX_TABLE_CHARS = 10_000_000;
/** Number of lines between two pauses: about a millisecond. */
const LINES_AT_ONCE = 500;
/** Maximum number of findings: the first ones tell what is wrong with a column. */
const MAX_TABLE_FAULTS = 10;
/** A serial number without a heading has at least so many digits in a line with other cells: 64 bits (BR 7.1). */
const MIN_DIGITS = 16;
/** The longest serial number has 20 octets (RFC 5280 §4.1.2.2), in decimal, and in hexadecimal with leading zeros. */
const [MAX_DECIMAL, MAX_CHARS] = [49, 64];
/** Most cells, so that the others are read in all their spellings. */
const USUAL_HEX = /^[0-9a-f]{1,64}$/i;
const RADIX = /[\s_(\[-]*\b(hex|dec)(?:adecimal|imal)?\b[\s)\]]*/i;

/** Which digits a column has. */
type Radix = "hex" | "dec" | undefined;

/** A cell with a serial number, and its row, counted from 1. */
interface Cell {
  readonly row: number;
  readonly text: string;
}

/**
 * Returns the serial numbers of a text in hexadecimal: one on each line, or the column of a table whose heading may be in
 * any row. Without a heading, a line with several cells has its serial number in the first one that looks like one. A
 * column of decimal numbers is recognized by its heading, or because none of its long numbers has a letter.
 */
export async function readSerialNumbers(
  text: string,
  { pause, most }: { pause: Pause; most: number },
): Promise<{ serials: string[]; findings: Finding[] }> {
  if (text.length > MAX_TABLE_CHARS) {
    return { serials: [], findings: [finding("too_long", { max: MAX_TABLE_CHARS })] };
  }
  const { cells, radix } = await cellsOf(text, pause);
  if (cells.length > most) {
    return { serials: [], findings: [finding("too_many_elements", { max: most })] };
  }
  const isDecimal = radix === "dec" ||
    (radix === undefined && cells.every((one) => /^\d{16,}$/.test(one.text)));
  const findings: Finding[] = [];
  const serials: string[] = [];
  for (const [index, { row, text }] of cells.entries()) {
    if (index % LINES_AT_ONCE === 0) await pause();
    const digits = isDecimal ? decimalDigits(text) : USUAL_HEX.test(text) ? text : readHexDigits(text);
    if (digits !== undefined && digits.length <= MAX_CHARS) serials.push(digits);
    else if (findings.length < MAX_TABLE_FAULTS) {
      const expected = isDecimal
        ? "Expected a decimal number"
        : "Expected hexadecimal digits such as 0A:1B:2C";
      findings.push({ ...hexFinding(text, { expected, value: quote(text) }), row });
    }
  }
  return { serials, findings };
}

function decimalDigits(text: string): string | undefined {
  return /^\d+$/.test(text) && text.length <= MAX_DECIMAL ? BigInt(text).toString(16) : undefined;
}

/** Returns the cells with serial numbers; blank ones are left out. */
async function cellsOf(text: string, pause: Pause): Promise<{ cells: Cell[]; radix: Radix }> {
  // Dividing by a text takes a quarter of the time of an expression. A carriage return before a line feed is white space.
  const lines = text.replace(/^\ufeff/, "").split(text.includes("\n") ? "\n" : "\r");
  const { row: start, index, separator, radix } = headingIn(lines) ??
    { row: -1, index: undefined, separator: "", radix: undefined };
  const cells: Cell[] = [];
  for (let row = start + 1; row < lines.length; row++) {
    if (row % LINES_AT_ONCE === 0) await pause();
    const line = lines[row] ?? "";
    const cell = index === undefined ? likelyCell(line) : splitLine(line, separator, index)[index] ?? "";
    // Some spreadsheets write ="0123" or '0123, so that digits stay a text.
    const plain = cell.replace(/^[=']+/, "").trim();
    if (plain !== "") cells.push({ row: row + 1, text: plain });
  }
  return { cells, radix };
}

/** Finds the first row with a heading for serial numbers; of two such columns, the hexadecimal one. */
function headingIn(
  lines: readonly string[],
): { row: number; index: number; separator: string; radix: Radix } | undefined {
  for (const [row, line] of lines.entries()) {
    if (!/seri|\bsn\b/i.test(line)) continue;
    const { separator } = readLayout(lines.slice(row, row + 20).join("\n"));
    const found = splitLine(line, separator).flatMap((cell, index) => {
      const radix = RADIX.exec(cell)?.[1]?.toLowerCase() as Radix;
      return columnMeant(cell.replace(RADIX, "").trim()) === "serial_number"
        ? [{ row, index, separator, radix }]
        : [];
    });
    const best = found.find(({ radix }) => radix === "hex") ?? found[0];
    if (best !== undefined) return best;
  }
  return undefined;
}

function likelyCell(line: string): string {
  if (!/[,;\t|"]/.test(line)) return line;
  const cells = splitLine(line, /[;\t|]/.exec(line)?.[0] ?? ",");
  return cells.find((cell) => (readHexDigits(cell)?.length ?? 0) >= MIN_DIGITS) ?? cells[0] ?? "";
}

/** Splits a line of a table (RFC 4180) into its cells, at most until the one at `last`. */
function splitLine(line: string, separator: string, last = Infinity): string[] {
  const cells: string[] = [];
  let [start, quoted] = [0, false];
  const end = (at: number): number => cells.push(line.slice(start, at).replaceAll('"', "").trim());
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === '"') quoted = !quoted;
    if (char !== separator || quoted) continue;
    if (end(at) > last) return cells;
    start = at + 1;
  }
  end(line.length);
  return cells;
}
