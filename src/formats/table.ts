/** What reading a table gives: rows that could be read, and findings about all that could not. */

import { visible } from "../x509/mod.ts";

/** What is wrong with a table or one of its rows. */
export type RowFindingCode =
  | "syntax"
  | "no_header"
  | "unknown_column"
  | "duplicate_column"
  | "missing_column"
  | "cell_count"
  | "cell_size"
  | "not_an_object"
  | "too_many_rows"
  | "too_many_findings";

/** Something wrong in a table; a value, never an exception. */
export interface RowFinding {
  readonly code: RowFindingCode;
  /** 1 is the first row of data; 0 is the table as a whole, its header included. */
  readonly row: number;
  /** The column that it concerns, as it is named in the table. */
  readonly column?: string;
  /** A sentence for people. */
  readonly message: string;
}

/** One row of data. */
export interface ReadRow<Cell> {
  /** 1 is the first. Blank rows are passed over but count, so that numbers agree with a spreadsheet's. */
  readonly row: number;
  /** By column; columns that the table does not have are not there. */
  readonly cells: Readonly<Record<string, Cell>>;
}

/** A table as it was read. Rows with a finding about the row as a whole are not among `rows`. */
export interface Table<Cell> {
  readonly rows: readonly ReadRow<Cell>[];
  readonly findings: readonly RowFinding[];
}

/** What a table may hold. */
export interface TableOptions {
  /** Every column that is known. */
  readonly columns: readonly string[];
  /** Columns that must be there. */
  readonly required?: readonly string[];
  /** Rows that are read; with more there is a finding, and the rest is left unread. */
  readonly maxRows: number;
}

const MAX_QUOTED_CHARS = 80;

/** A piece of a table, quoted in a message: short, and nothing in it disturbs the text around it. */
export function quoted(text: string): string {
  const short = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
  return visible(JSON.stringify(short));
}

/** The finding about a column that nobody knows. */
export function unknownColumn(column: string, row: number, { columns }: TableOptions): RowFinding {
  const message = `Unknown column ${quoted(column)}. Expected columns are ${columns.join(", ")}.`;
  return { code: "unknown_column", row, column, message };
}

/** The finding about a cell that is too long. */
export function cellTooLong(column: string, row: number, limit: number): RowFinding {
  return { code: "cell_size", row, column, message: `The cell is longer than ${limit} characters.` };
}

/** The finding about rows beyond the last that is read. */
export function tooManyRows({ maxRows }: TableOptions): RowFinding {
  return { code: "too_many_rows", row: 0, message: `The table has more than ${maxRows} rows.` };
}
