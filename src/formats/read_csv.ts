/**
 * Reads CSV (RFC 4180). Strict if a mistake would move data into the wrong cell. Otherwise lenient: accepts
 * any line break, a byte order mark, semicolons or tabs as separators, and blank rows.
 */

import { CsvError, parse } from "csv-parse/sync";
import { MAX_BLANK_ROWS, MAX_CELL_CHARS, MAX_ROW_CELLS, MAX_TABLE_FINDINGS } from "../base/limits.ts";
import { readLayout } from "../base/spellings/tables.ts";
import { unguardFormula } from "./formula_guard.ts";
import {
  cellTooLong,
  isKnownColumn,
  NamedColumns,
  quoteText,
  type ReadRow,
  type RowFinding,
  type Table,
  type TableOptions,
  tooManyRows,
  unknownColumn,
} from "./table.ts";

/** Reads a table with a header row. Never throws. Stops at an invalid quote. */
export function readCsv(text: string, options: TableOptions): Table<string> {
  const table = new CsvTable(options);
  const { table: rows, separator } = readLayout(text);
  try {
    parse(withoutBlankEnd(rows), {
      bom: true,
      delimiter: separator,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      // A row that consists of delimiters would otherwise become a list of millions of cells.
      cast: (value, { index }) => index < MAX_ROW_CELLS ? value : table.stop(tooWide(table.next)),
      on_record: (record: string[]) => table.take(record),
    });
  } catch (error) {
    if (error instanceof CsvError) table.findings.push(broken(error.code, table.next));
    else if (!(error instanceof Stop)) throw error;
  }
  return table.result();
}

/** Stops the reader after a finding. */
class Stop extends Error {}

class CsvTable {
  readonly findings: RowFinding[] = [];
  readonly #rows: ReadRow<string>[] = [];
  readonly #options: TableOptions;
  readonly #named: NamedColumns;
  #names: readonly string[] = [];
  #header: readonly (string | null)[] | undefined;
  #blanks = 0;
  #hasUnnamed = false;
  /** Number of the last data row, including blank ones. */
  row = 0;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#named = new NamedColumns(options);
  }

  /** Number of the current row; 0 is the header. */
  get next(): number {
    return this.#header === undefined ? 0 : this.row + 1;
  }

  /** Processes a record. Returns null so that the library does not store it. */
  take(record: readonly string[]): null {
    const blank = record.every(isBlank);
    if (blank && ++this.#blanks > MAX_BLANK_ROWS) this.stop(tooManyBlanks());
    if (this.#header !== undefined) this.row++;
    if (blank) return null;
    if (this.#header === undefined) {
      this.#header = this.#readHeader(record);
      return null;
    }
    if (this.#rows.length >= this.#options.maxRows) this.stop(tooManyRows(this.#options));
    if (this.findings.length >= MAX_TABLE_FINDINGS) this.stop(tooManyFindings(this.row));
    if (this.#hasAllCells(record, this.#header)) {
      this.#rows.push({ row: this.row, cells: this.#readCells(record, this.#header) });
    } else this.findings.push(wrongCount(record, this.#header, this.row));
    return null;
  }

  /** Spreadsheets leave out delimiters of empty cells at the end of a row, or write one after the last cell. */
  #hasAllCells(record: readonly string[], header: readonly (string | null)[]): boolean {
    const missing = header.slice(record.length);
    return record.slice(header.length).every(isBlank) &&
      !missing.some((name) => name !== null && this.#options.required?.includes(name));
  }

  /** Adds a last finding, and stops the reader. */
  stop(finding: RowFinding): never {
    this.findings.push(finding);
    throw new Stop();
  }

  result(): Table<string> {
    if (this.#header === undefined && this.findings.length === 0) {
      this.findings.push({
        code: "no_header",
        row: 0,
        message: "The table is empty. Expected a header row.",
      });
    }
    return { rows: this.#rows, findings: this.findings, named: this.#named.all };
  }

  #readHeader(record: readonly string[]): readonly (string | null)[] {
    const { required = [] } = this.#options;
    this.#names = record.map((name) => name.trim());
    const header = this.#names.map((name) => this.#named.note(name));
    for (const name of new Set(header)) {
      // A column without a name is one if a row has a cell in it.
      if (name === null || name === "") continue;
      if (!isKnownColumn(name, this.#options)) this.findings.push(unknownColumn(name, 0, this.#options));
      else if (header.indexOf(name) !== header.lastIndexOf(name)) {
        this.findings.push({
          code: "duplicate_column",
          row: 0,
          column: name,
          message: `The column ${quoteText(name)} appears more than once.`,
        });
      }
    }
    for (const name of required) {
      if (header.includes(name)) continue;
      const message = `The column ${quoteText(name)} is missing.`;
      this.findings.push({ code: "missing_column", row: 0, column: name, message });
    }
    return header;
  }

  /** Returns the cells of known columns. If a column occurs twice, the first is used. */
  #readCells(record: readonly string[], header: readonly (string | null)[]): Record<string, string> {
    const cells: Record<string, string> = {};
    for (const [index, name] of header.entries()) {
      this.#named.note(this.#names[index] as string, record[index]);
      if (name === "" && !this.#hasUnnamed && !isBlank(record[index] ?? "")) {
        this.#hasUnnamed = true;
        this.findings.push(unknownColumn(name, 0, this.#options));
      }
      if (name === null || !isKnownColumn(name, this.#options) || Object.hasOwn(cells, name)) continue;
      const cell = record[index] ?? "";
      if (cell.length <= MAX_CELL_CHARS) cells[name] = unguardFormula(cell);
      else this.findings.push(cellTooLong(name, this.row, MAX_CELL_CHARS));
    }
    return cells;
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

function wrongCount(record: readonly string[], header: readonly unknown[], row: number): RowFinding {
  const message = `The row has ${record.length} cells, the header has ${header.length}.`;
  return { code: "cell_count", row, message };
}

function tooWide(row: number): RowFinding {
  return { code: "cell_count", row, message: `The row has more than ${MAX_ROW_CELLS} cells.` };
}

function tooManyBlanks(): RowFinding {
  const message = `The table has more than ${MAX_BLANK_ROWS} blank rows.`;
  return { code: "too_many_rows", row: 0, message };
}

function tooManyFindings(row: number): RowFinding {
  return { code: "too_many_findings", row, message: "Too many errors: the rest was not read." };
}

const BROKEN: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "A quoted cell is not closed.",
  CSV_INVALID_CLOSING_QUOTE:
    'Text follows a quoted cell. Expected a delimiter or a line end (a quote within a cell is written "").',
  INVALID_OPENING_QUOTE:
    'A cell that does not begin with a quote contains one. Write it as "a ""quoted"" word".',
};

function broken(code: string, row: number): RowFinding {
  const reason = BROKEN[code] ?? "The row is not valid CSV.";
  return { code: "syntax", row, message: `${reason} The rest was not read.` };
}
