/**
 * Reads CSV (RFC 4180). Strict if a mistake would move data into the wrong cell. Otherwise lenient: accepts
 * any line break, a byte order mark, semicolons or tabs as separators, and blank rows.
 */

import { CsvError, parse } from "csv-parse/sync";
import { type Finding, finding, findingAt } from "../base/findings.ts";
import { MAX_BLANK_ROWS, MAX_ROW_CELLS } from "../base/limits.ts";
import { headingRow, isTotalRow, MAX_HEAD_ROWS, readLayout } from "../base/spellings/tables.ts";
import { unguardFormula } from "./csv.ts";
import { isKnownHeading, quoteText, type Table, TableBuilder, type TableOptions } from "./table.ts";

/** Reads a table with a header row. Never throws. Stops at an invalid quote. */
export function readCsv(text: string, options: TableOptions): Table<string> {
  const { table, separator } = readLayout(text);
  const reader = new CsvReader(options);
  try {
    parse(withoutBlankEnd(table), {
      bom: true,
      delimiter: separator,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      // A row that consists of delimiters would otherwise become a list of millions of cells.
      cast: (value, { index }) => index < MAX_ROW_CELLS ? value : reader.stop(TOO_WIDE),
      on_record: (record: string[]) => reader.take(record),
    });
    reader.end();
  } catch (error) {
    if (error instanceof CsvError) {
      reader.takeHead();
      const reason = BROKEN[error.code] ?? "The row is not valid CSV.";
      reader.find(finding("syntax", { reason: `${reason} The rest was not read.` }));
    } else if (!(error instanceof Stop)) throw error;
  }
  return reader.table.result;
}

/** Stops the reader after a finding. */
class Stop extends Error {}

const TOO_WIDE = finding("row_too_wide", { max: MAX_ROW_CELLS });

class CsvReader {
  readonly table: TableBuilder<string>;
  readonly #options: TableOptions;
  #names: readonly string[] = [];
  #header: readonly (string | null)[] | undefined;
  #blanks = 0;
  /** Number of the current row, counting blank ones; 0 is the header, except in a sheet. */
  #row = 0;
  /** The first records, of which one is the header, and the number of blank ones before them. */
  #head: (readonly string[])[] = [];
  #before = 0;

  constructor(options: TableOptions) {
    this.#options = options;
    this.table = new TableBuilder(options);
  }

  find(one: Finding): void {
    this.table.find(this.#row, one);
  }

  /** Adds a last finding, and stops the reader. */
  stop(one: Finding): never {
    this.takeHead();
    this.find(one);
    throw new Stop();
  }

  /** Processes a record. Returns null so that the library does not store it. */
  take(record: readonly string[]): null {
    const blank = record.every(isBlank);
    if (blank && ++this.#blanks > MAX_BLANK_ROWS) {
      this.takeHead();
      this.#row = 0;
      this.stop(finding("too_many_rows", { max: `${MAX_BLANK_ROWS} blank` }));
    }
    if (this.#header !== undefined) this.#takeRow(record);
    else if (!blank || this.#head.length > 0 || this.#options.isSheet === true) {
      this.#head.push(record);
      // Without other headings, tables are those of programs, which have nothing before these.
      if (this.#head.length === (this.#options.columnOf === undefined ? 1 : MAX_HEAD_ROWS)) this.takeHead();
    }
    return null;
  }

  end(): void {
    this.takeHead();
    if (this.#header === undefined) this.find(finding("no_header"));
  }

  /** Finds the header, and reads the rows below it. */
  takeHead(): void {
    const records = this.#head;
    this.#head = [];
    const first = records.findIndex((record) => !record.every(isBlank));
    if (first < 0) {
      this.#before += records.length;
      return;
    }
    const { index, known } = headingRow(records, (name) => isKnownHeading(name, this.#options));
    const at = known === 0 ? first : index;
    this.#readHeader(records[at] ?? [], this.#options.isSheet === true ? this.#before + at + 2 : 1);
    for (const record of records.slice(at + 1)) this.#takeRow(record);
  }

  #takeRow(record: readonly string[]): void {
    if (this.#header !== undefined && !record.every(isBlank)) this.#readRow(record, this.#header);
    this.#row++;
  }

  #readHeader(record: readonly string[], firstRow: number): void {
    const { table } = this;
    this.#names = record.map((name) => name.trim());
    const header = this.#names.map((name) => table.column(name));
    for (const column of new Set(header)) {
      // A column without a name is one if a row has a cell in it.
      if (column === null || column === "" || !table.accepts(column, 0)) continue;
      if (header.indexOf(column) === header.lastIndexOf(column)) continue;
      table.find(0, findingAt(column, "duplicate_column", { value: quoteText(column) }));
    }
    for (const column of this.#options.required ?? []) {
      if (header.includes(column)) continue;
      table.find(0, findingAt(column, "missing_column", { value: quoteText(column) }));
    }
    [this.#header, this.#row] = [header, firstRow];
  }

  /** Reads the cells of known columns. If a column occurs twice, the first is used. */
  #readRow(record: readonly string[], header: readonly (string | null)[]): void {
    const { table } = this;
    if (table.rows.length >= this.#options.maxRows) {
      table.findTooMany();
      throw new Stop();
    }
    if (table.isFull) this.stop(finding("too_many_findings"));
    // Spreadsheets leave out delimiters of empty cells at the end of a row, or write one after the last cell.
    const isComplete = record.slice(header.length).every(isBlank) && (this.#options.isSheet === true ||
      !header.slice(record.length).some((name) => name !== null && this.#options.required?.includes(name)));
    if (!isComplete) {
      this.find(finding("cell_count", { count: record.length, expected: header.length }));
      return;
    }
    const cells: Record<string, string> = {};
    for (const [index, column] of header.entries()) {
      const cell = record[index] ?? "";
      table.column(this.#names[index] ?? "", record[index]);
      if (column === null || (column === "" && isBlank(cell)) || Object.hasOwn(cells, column)) continue;
      if (table.accepts(column, 0)) table.set(this.#row, cells, [column, unguardFormula(cell)]);
    }
    const isTotal = this.#options.columnOf !== undefined && isTotalRow(record);
    table.rows.push({ row: this.#row, cells, ...(isTotal ? { isTotal } : {}) });
  }
}

/** Removes blank rows at the end. Spreadsheets may leave thousands of them. */
function withoutBlankEnd(text: string): string {
  let last = text.length - 1;
  while (last >= 0 && " \t\r\n,;".includes(text.charAt(last))) last--;
  if (last < 0) return text;
  while (last < text.length && text.charAt(last) !== "\n" && text.charAt(last) !== "\r") last++;
  return text.slice(0, last);
}

function isBlank(cell: string): boolean {
  return cell.trim() === "";
}

const BROKEN: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "A quoted cell is not closed.",
  CSV_INVALID_CLOSING_QUOTE:
    'Text follows a quoted cell. Expected a delimiter or a line end (a quote within a cell is written "").',
  INVALID_OPENING_QUOTE:
    'A cell that does not begin with a quote contains one. Write it as "a ""quoted"" word".',
};
