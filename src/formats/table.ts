/** The result of reading a table: valid rows, and findings about the other rows. */

import { MAX_ROW_CELLS } from "../base/limits.ts";
import type { DateDecision } from "../base/spellings/dates.ts";
import { printable } from "../x509/mod.ts";

/** Codes of findings about a table or one of its rows. */
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

/** A finding about a table. */
export interface RowFinding {
  readonly code: RowFindingCode;
  /** 1 is the first data row. 0 is the whole table, including its header. */
  readonly row: number;
  /** Name of the column in the table. */
  readonly column?: string;
  /** A sentence for people. */
  readonly message: string;
}

/** A data row. */
export interface ReadRow<Cell> {
  /** 1 is the first. Blank rows are skipped but counted, so that the numbers match those of a spreadsheet. */
  readonly row: number;
  /** Cells by column, only for columns of the table. */
  readonly cells: Readonly<Record<string, Cell>>;
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
  /** Required columns. */
  readonly required?: readonly string[];
  /** Maximum number of rows. If there are more, this is a finding, and they are not read. */
  readonly maxRows: number;
}

const MAX_QUOTED_CHARS = 80;
/** Maximum number of samples of a column, and of their characters: enough to recognize a fingerprint. */
const MAX_SAMPLES = 3;
const MAX_SAMPLE_CHARS = 128;

/** Quotes a text of the table for a message, shortened and with control characters escaped. */
export function quoteText(text: string): string {
  const short = text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;
  return printable(JSON.stringify(short));
}

/** Returns whether a table may have a column. */
export function isKnownColumn(name: string, { columns, prefix }: TableOptions): boolean {
  return columns.includes(name) || (prefix !== undefined && name.startsWith(prefix));
}

/** Collects the columns of a table, with samples of each. */
export class NamedColumns {
  readonly #columnOf: (name: string) => string | null;
  readonly #all = new Map<string, { column: string | null; samples: string[] }>();

  constructor({ columnOf = (name): string => name }: TableOptions) {
    this.#columnOf = columnOf;
  }

  /** Records a name, and a sample of its cells. Returns the column for the name. */
  note(name: string, value?: unknown): string | null {
    let known = this.#all.get(name);
    if (known === undefined) {
      known = { column: this.#columnOf(name), samples: [] };
      // Names are not kept beyond the number in any real table.
      if (this.#all.size < MAX_ROW_CELLS) this.#all.set(name, known);
    }
    const { samples } = known;
    if (samples.length < MAX_SAMPLES && (typeof value === "string" || typeof value === "number")) {
      const sample = String(value).trim().slice(0, MAX_SAMPLE_CHARS);
      if (sample !== "" && !samples.includes(sample)) samples.push(sample);
    }
    return known.column;
  }

  get all(): readonly NamedColumn[] {
    return [...this.#all].map(([name, one]) => ({ name, ...one }));
  }
}

/** Returns the finding about an unknown column. */
export function unknownColumn(column: string, row: number, { columns }: TableOptions): RowFinding {
  const message = `Unknown column ${quoteText(column)}. Expected columns are ${columns.join(", ")}.`;
  return { code: "unknown_column", row, column, message };
}

/** Returns the finding about a cell that is too long. */
export function cellTooLong(column: string, row: number, limit: number): RowFinding {
  return { code: "cell_size", row, column, message: `The cell is longer than ${limit} characters.` };
}

/** Returns the finding about too many rows. */
export function tooManyRows({ maxRows }: TableOptions): RowFinding {
  return { code: "too_many_rows", row: 0, message: `The table has more than ${maxRows} rows.` };
}
