/**
 * Reads a sheet of a workbook (ECMA-376, SpreadsheetML) as CSV with all its rows, so that their numbers are those of the
 * sheet. Cells are texts as a person sees them: cached values of formulas, and dates in ISO 8601. Reads in slices.
 */

import sax from "sax";
import { DAY_MS, formatDate, formatDatetime } from "../../base/clock.ts";
import { type Finding, finding } from "../../base/findings.ts";
import { MAX_BLANK_ROWS, MAX_ROW_CELLS } from "../../base/limits.ts";
import { pacer, type Pause } from "../../base/pace.ts";
import { MAX_HEAD_ROWS } from "../../base/spellings/tables.ts";
import { Archive, ArchiveError } from "./archive.ts";

/** Maximum bytes of all parts that are read, decompressed: some seconds of work. */
const MAX_PART_BYTES = 48 * 1024 * 1024;
/** Maximum number of cells with a value: 10,000 rows with all columns. */
const MAX_CELLS = 300_000;
/** Maximum number of sheets that are searched for a table. */
const MAX_SHEETS = 20;
/** Characters that are parsed at once. */
const PIECE_CHARS = 16_384;

/** A sheet as CSV. */
export interface SheetTable {
  readonly sheet: string;
  /** Number of other visible sheets. */
  readonly others: number;
  readonly csv: string;
}

interface Reading {
  /** Maximum characters of the CSV. */
  readonly maxChars: number;
  /** Returns whether the first rows of a sheet are those of the expected table. */
  readonly isTable: (rows: readonly (readonly string[])[]) => boolean;
}

/** Returns the first visible sheet with the expected table, else the first one that is not empty; or why it cannot be read. */
export async function readXlsx(
  bytes: Uint8Array,
  reading: Reading,
): Promise<SheetTable | Finding> {
  try {
    return await new Workbook(new Archive(bytes), reading).read();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return finding("workbook_unreadable", { reason: error.message });
  }
}

/** Handles the elements of a part. The names of elements and attributes have no prefixes. */
interface Handler {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

class Workbook {
  readonly #archive: Archive;
  readonly #reading: Reading;
  readonly #pause: Pause = pacer();
  #bytes = 0;
  #cells = 0;
  /** Whether days are counted from 1904. */
  #is1904 = false;
  readonly #texts: string[] = [];
  /** Whether the cells of a style are dates. */
  readonly #dates: boolean[] = [];

  constructor(archive: Archive, reading: Reading) {
    this.#archive = archive;
    this.#reading = reading;
  }

  async read(): Promise<SheetTable> {
    const sheets: { name: string; id: string }[] = [];
    await this.#parse("xl/workbook.xml", {
      open: (name, { name: title = "", id = "", state = "visible", date1904 = "" }) => {
        if (name === "workbookPr") this.#is1904 = /^(?:1|true)$/.test(date1904);
        if (name === "sheet" && state === "visible") sheets.push({ name: title, id });
      },
    });
    const parts = await this.#relations();
    await this.#readTexts(parts.get("sharedStrings"));
    await this.#readStyles(parts.get("styles"));
    let first: SheetTable | undefined;
    for (const { name, id } of sheets.slice(0, MAX_SHEETS)) {
      const part = parts.get(id);
      // A chart has a sheet of its own.
      if (part === undefined || !part.includes("worksheets/")) continue;
      const { csv, head } = await this.#readSheet(part);
      const table = { sheet: name, others: sheets.length - 1, csv };
      if (this.#reading.isTable(head)) return table;
      if (csv.trim() !== "") first ??= table;
    }
    if (first === undefined) throw new ArchiveError("It has no visible sheet with cells.");
    return first;
  }

  /** Returns the names of parts by the ids of sheets, and those of texts and styles by their types. */
  async #relations(): Promise<Map<string, string>> {
    const parts = new Map<string, string>();
    await this.#parse("xl/_rels/workbook.xml.rels", {
      open: (name, { Id: id = "", Target: target = "", Type: type = "" }) => {
        if (name !== "Relationship") return;
        const part = target.startsWith("/") ? target.slice(1) : `xl/${target}`;
        parts.set(id, part);
        parts.set(type.slice(type.lastIndexOf("/") + 1), part);
      },
    });
    return parts;
  }

  async #readTexts(part: string | undefined): Promise<void> {
    if (part === undefined || !this.#archive.has(part)) return;
    let text = textReader();
    await this.#parse(part, {
      open: (name) => {
        if (name === "si") text = textReader();
        text.open(name);
      },
      text: (piece) => text.add(piece),
      close: (name) => {
        text.close(name);
        if (name === "si" && this.#texts.push(text.value()) > MAX_CELLS) throw TOO_MANY_CELLS;
      },
    });
  }

  async #readStyles(part: string | undefined): Promise<void> {
    if (part === undefined || !this.#archive.has(part)) return;
    const formats = new Map<string, string>();
    let inCells = false;
    await this.#parse(part, {
      open: (name, { numFmtId: id = "", formatCode: code = "" }) => {
        if (name === "numFmt") formats.set(id, code);
        if (name === "cellXfs") inCells = true;
        if (name === "xf" && inCells) this.#dates.push(isDateFormat(Number(id), formats.get(id)));
      },
      close: (name) => {
        if (name === "cellXfs") inCells = false;
      },
    });
  }

  async #readSheet(part: string): Promise<{ csv: string; head: string[][] }> {
    const head: string[][] = [];
    const lines: string[] = [];
    let chars = 0;
    let [rowNumber, column, type, style] = [0, 0, "", 0];
    let row: string[] = [];
    let formula = "";
    let inside = "";
    let text = textReader();
    await this.#parse(part, {
      open: (name, { r: place = "", t = "n", s = "0" }) => {
        if (name === "row") {
          const next = place === "" ? rowNumber + 1 : Number(place);
          if (!(next > rowNumber)) throw new ArchiveError("The rows of its sheet are not in order.");
          [rowNumber, column, row] = [next, 0, []];
        } else if (name === "c") {
          column = place === "" ? column + 1 : columnNumber(place);
          [type, style, formula, text] = [t, Number(s), "", textReader()];
        } else if (name === "v" || name === "f") inside = name;
        else text.open(name);
      },
      text: (piece) => {
        if (inside === "v") text.add(piece, true);
        else if (inside === "f") formula += piece;
        else text.add(piece);
      },
      close: (name) => {
        if (name === "v" || name === "f") inside = "";
        else if (name === "c") {
          const value = this.#valueOf(text.value(), { type, style }) || (formula && `=${formula}`);
          if (value === "") return;
          if (++this.#cells > MAX_CELLS) throw TOO_MANY_CELLS;
          if (!(column <= MAX_ROW_CELLS)) {
            throw new ArchiveError(`It has more than ${MAX_ROW_CELLS} columns.`);
          }
          while (row.length < column - 1) row.push("");
          row[column - 1] = value;
        } else if (name === "row" && row.length > 0) {
          if (head.length < MAX_HEAD_ROWS) head.push(row);
          if (rowNumber - lines.length > MAX_BLANK_ROWS + 1) {
            throw new ArchiveError(`It has more than ${MAX_BLANK_ROWS} blank rows.`);
          }
          while (lines.length < rowNumber - 1) lines.push("\n");
          // All are quoted, so that no sign in one of them is taken for the separator of the table.
          const line = `${row.map((one) => `"${one.replaceAll('"', '""')}"`).join()}\n`;
          lines.push(line);
          chars += line.length;
          if (chars > this.#reading.maxChars) throw new ArchiveError("The texts of its cells are too large.");
        } else text.close(name);
      },
    });
    return { csv: lines.join(""), head };
  }

  /** Returns the text of a cell. */
  #valueOf(value: string, { type, style }: { type: string; style: number }): string {
    if (type === "s") return value === "" ? "" : this.#texts[Number(value)] ?? "";
    if (type === "b") return value === "1" ? "true" : "false";
    if (type !== "n") return value;
    const number = Number(value);
    if (value === "" || !Number.isFinite(number)) return value;
    if (this.#dates[style] === true) return dateOf(number, this.#is1904) ?? value;
    // A spreadsheet keeps 15 digits, and shows longer numbers in this notation.
    return Math.abs(number) >= 1e15 ? number.toExponential().toUpperCase() : String(number);
  }

  /** Parses a part. Entities are only those of XML: others, and external ones, are errors. */
  async #parse(part: string, { open, text, close }: Handler): Promise<void> {
    const xml = sax.parser(true, { position: false });
    xml.onerror = () => {
      throw new ArchiveError("A part of it is not valid XML.");
    };
    xml.ondoctype = () => {
      throw new ArchiveError("A part of it has a document type, which no workbook needs.");
    };
    xml.onopentag = ({ name, attributes }: { name: string; attributes: Record<string, string> }) => {
      const plain = Object.entries(attributes).map(([key, value]) => [withoutPrefix(key), value]);
      open?.(withoutPrefix(name), Object.fromEntries(plain));
    };
    xml.ontext = xml.oncdata = (piece: string) => text?.(piece);
    xml.onclosetag = (name: string) => close?.(withoutPrefix(name));
    const decoder = new TextDecoder();
    for await (const bytes of this.#archive.read(part)) {
      this.#bytes += bytes.length;
      if (this.#bytes > MAX_PART_BYTES) throw new ArchiveError("It is too large when it is unpacked.");
      const piece = decoder.decode(bytes, { stream: true });
      for (let at = 0; at < piece.length; at += PIECE_CHARS) {
        await this.#pause();
        xml.write(piece.slice(at, at + PIECE_CHARS));
      }
    }
    xml.close();
  }
}

const TOO_MANY_CELLS = new ArchiveError(`It has more than ${MAX_CELLS} cells.`);

/** Collects the text of a cell: all its runs, without phonetic hints. */
function textReader(): {
  open: (name: string) => void;
  add: (piece: string, isValue?: boolean) => void;
  close: (name: string) => void;
  value: () => string;
} {
  let [text, inText, inPhonetic] = ["", false, false];
  return {
    open: (name) => {
      if (name === "rPh") inPhonetic = true;
      if (name === "t") inText = !inPhonetic;
    },
    add: (piece, isValue = inText) => {
      if (isValue) text += piece;
    },
    close: (name) => {
      if (name === "rPh") inPhonetic = false;
      if (name === "t") inText = false;
    },
    // Signs that XML cannot have are written as `_x000D_`.
    value: () =>
      text.replaceAll(
        /_x([0-9A-Fa-f]{4})_/g,
        (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
      ),
  };
}

/** Returns the number of a column from 1: 28 for `AB12`. */
function columnNumber(place: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(place)?.[0] ?? "";
  if (letters === "") throw new ArchiveError("A cell of its sheet has no place.");
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** Returns whether a number format shows dates: those of Excel by id, others by their letters outside quotes. */
function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) {
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  }
  return /[dy]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ""));
}

/** Returns a date, with its time if it has one; undefined for numbers that are none. */
function dateOf(days: number, is1904: boolean): string | undefined {
  // Excel's 1900 has a 29 February, so that earlier days have a number that is one less.
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const time = Math.round((start + days * DAY_MS) / 1000) * 1000;
  if (days < 0 || days > 2_958_465) return undefined;
  return time % DAY_MS === 0 ? formatDate(time) : formatDatetime(time);
}
