/** Decodes the files of tables, and collects the result of reading one: valid rows, and findings about the others. */

import { type Finding, finding, findingAt } from "../base/findings.ts";
import { MAX_CELL_CHARS, MAX_ROW_CELLS, MAX_TABLE_FINDINGS } from "../base/limits.ts";
import { nearest } from "../base/nearest.ts";
import type { DateDecision } from "../base/spellings/dates.ts";
import { headingRow } from "../base/spellings/tables.ts";
import { containerOf, printable } from "../x509/mod.ts";
import type { SheetTable } from "./xlsx/read_xlsx.ts";

/** A finding about a table or one of its rows. Its field is the name of the column in the table. */
export type RowFinding = Finding & { readonly row: number };

/** A data row. */
export interface ReadRow<Cell> {
  /** 1 is the first. Blank rows are skipped but counted, so that the numbers match those of a spreadsheet. */
  readonly row: number;
  /** Cells by column, only for columns of the table. */
  readonly cells: Readonly<Record<string, Cell>>;
  /** Whether it has only sums of other rows. */
  readonly isTotal?: true;
}

/** A column with its name in the table. */
export interface NamedColumn {
  readonly name: string;
  /** The column to which its cells belong; null if they are ignored. */
  readonly column: string | null;
  /** The beginnings of its first distinct cells that are not blank. */
  readonly samples: readonly string[];
  /** How its dates with several readings are read. */
  readonly dates?: readonly DateDecision[];
}

/** The content of a table. `rows` does not contain rows with a finding about the row as a whole. */
export interface Table<Cell> {
  readonly rows: readonly ReadRow<Cell>[];
  readonly findings: readonly RowFinding[];
  /** The columns in the order of the table. */
  readonly named: readonly NamedColumn[];
}

/** Columns and limits of a table. */
export interface TableOptions {
  /** All known columns. */
  readonly columns: readonly string[];
  /** Prefix of additional columns (`cf_`). */
  readonly prefix?: string;
  /**
   * Returns the column for a name in the table; null if its cells are ignored. By default, the name itself.
   */
  readonly columnOf?: ((name: string) => string | null) | undefined;
  /** Whether the text is a whole sheet, so that its rows are numbered from the first line, and not from the first data. */
  readonly isSheet?: boolean;
  /** Required columns. */
  readonly required?: readonly string[];
  /** Maximum number of rows. If there are more, this is a finding, and they are not read. */
  readonly maxRows: number;
}

const MAX_QUOTED_CHARS = 80;
/** Maximum number of samples of a column, and of their characters: enough to recognize a fingerprint. */
const MAX_SAMPLES = 3;
const MAX_SAMPLE_CHARS = 128;

/** Collects the rows of a table, its columns with samples of each, and findings. */
export class TableBuilder<Cell> {
  readonly rows: ReadRow<Cell>[] = [];
  readonly findings: RowFinding[] = [];
  readonly #options: TableOptions;
  readonly #named = new Map<string, { column: string | null; samples: string[] }>();
  readonly #unknown = new Set<string>();

  constructor(options: TableOptions) {
    this.#options = options;
  }

  get result(): Table<Cell> {
    const { rows, findings } = this;
    return { rows, findings, named: [...this.#named].map(([name, one]) => ({ name, ...one })) };
  }

  /** Whether there are so many findings that the rest is not read. */
  get isFull(): boolean {
    return this.findings.length >= MAX_TABLE_FINDINGS;
  }

  find(row: number, one: Finding): void {
    this.findings.push({ ...one, row });
  }

  /** Reports that there are more rows than are read. */
  findTooMany(): void {
    this.find(0, finding("too_many_rows", { max: this.#options.maxRows }));
  }

  /** Records a name, and a sample of its cells. Returns the column for the name. */
  column(name: string, value?: unknown): string | null {
    let known = this.#named.get(name);
    if (known === undefined) {
      const { columnOf = (given: string): string => given } = this.#options;
      known = { column: columnOf(name), samples: [] };
      // Names are not kept beyond the number in any real table.
      if (this.#named.size < MAX_ROW_CELLS) this.#named.set(name, known);
    }
    const { samples } = known;
    if (samples.length < MAX_SAMPLES && (typeof value === "string" || typeof value === "number")) {
      const sample = String(value).trim().slice(0, MAX_SAMPLE_CHARS);
      if (sample !== "" && !samples.includes(sample)) samples.push(sample);
    }
    return known.column;
  }

  /** Returns whether a table may have a column; otherwise reports it, once. */
  accepts(column: string, row: number): boolean {
    if (isKnownColumn(column, this.#options)) return true;
    if (!this.#unknown.has(column)) {
      this.#unknown.add(column);
      const { columns } = this.#options;
      const suggestion = nearest(column, columns);
      const expected = suggestion === undefined ? { columns } : { suggestion };
      this.find(row, findingAt(column, "unknown_column", { value: quoteText(column), ...expected }));
    }
    return false;
  }

  /** Sets a cell unless it is too long. */
  set(row: ReadRow<Cell>["row"], cells: Record<string, Cell>, [column, value]: [string, Cell]): void {
    if (typeof value === "string" && value.length > MAX_CELL_CHARS) {
      this.find(row, findingAt(column, "cell_size", { max: MAX_CELL_CHARS }));
    } else cells[column] = value;
  }
}

/** Returns whether a table may have a column. */
export function isKnownColumn(
  name: string,
  { columns, prefix }: Pick<TableOptions, "columns" | "prefix">,
): boolean {
  return columns.includes(name) || (prefix !== undefined && name.startsWith(prefix));
}

/** Returns whether a heading is that of a column which is read. */
export function isKnownHeading(
  name: string,
  { columnOf = (given): string => given, ...options }: Pick<TableOptions, "columns" | "prefix" | "columnOf">,
): boolean {
  const column = columnOf(name.trim());
  return column !== null && column !== "" && isKnownColumn(column, options);
}

/** Quotes a text of the table for a message, shortened and with control characters escaped. */
export function quoteText(text: string): string {
  const short = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
  return printable(JSON.stringify(short));
}

/** Texts in workbooks: the beginning of compound files (.xls), and the names of files in archives (.xlsx, .ods). */
const WORKBOOKS =
  /^(?:\xd0\xcf.\xe0|PK.*(?:(?<xlsx>\[Content_Types\]\.xml|xl\/workbook\.xml)|mimetypeapplication\/vnd\.oasis))/s;

/** Returns whether a file is a workbook of a spreadsheet program. */
export function isWorkbook(bytes: Uint8Array): boolean {
  return WORKBOOKS.test(new TextDecoder("latin1").decode(bytes));
}

/** The text of a table; of a workbook, its sheet. */
export interface TableText {
  readonly text: string;
  readonly sheet?: Omit<SheetTable, "csv">;
}

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, Windows-1252, which spreadsheets write, and .xlsx. Returns why a file
 * cannot be read. Loads the reader of workbooks when the first one is read.
 */
export async function readTableText(
  bytes: Uint8Array,
  { maxChars, ...options }: Pick<TableOptions, "columns" | "prefix" | "columnOf"> & { maxChars: number },
): Promise<TableText | Finding> {
  const workbook = WORKBOOKS.exec(new TextDecoder("latin1").decode(bytes));
  if (workbook?.groups?.xlsx !== undefined) {
    const { readXlsx } = await import("./xlsx/read_xlsx.ts");
    const read = await readXlsx(bytes, {
      maxChars,
      isTable: (rows) => headingRow(rows, (name) => isKnownHeading(name, options)).known > 1,
    });
    if ("code" in read) return read;
    const { csv, ...sheet } = read;
    return { text: csv, sheet };
  }
  if (workbook !== null) return finding("workbook");
  const container = containerOf(bytes);
  if (container !== undefined) return finding("no_document", { container });
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const wide = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : undefined;
  for (const encoding of wide === undefined ? ["utf-8", "windows-1252"] : [wide]) {
    try {
      return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
    } catch { /* Another encoding. */ }
  }
  return finding("unknown_encoding");
}
