/** Writes CSV (RFC 4180): CRLF, a header row, lists joined by semicolons, empty cells for null, formulas escaped. */

import { guardFormula } from "./formula_guard.ts";
import type { ExportValue, Writer } from "./types.ts";

/** Separator of the texts of a list in one cell. */
export const LIST_SEPARATOR = ";";
/** Cells that are quoted: also those with spaces at their ends, which some readers trim. */
const QUOTED = /[",\r\n]|^\s|\s$/;

/** Returns a writer of CSV. */
export function csvWriter(fields: readonly string[]): Writer {
  // Readers ignore an empty line.
  const empty = fields.length === 1 ? '""' : "";
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell) => cell === "" ? empty : quoted(cell)).join(",")}\r\n`;
  return {
    begin: line(fields),
    *rows(rows): Generator<string> {
      for (const row of rows) yield line(fields.map((field) => textOf(row[field] ?? null)));
    },
    end: () => "",
  };
}

function textOf(value: ExportValue): string {
  if (value === null) return "";
  if (typeof value === "string") return guardFormula(value);
  return typeof value === "object" ? guardFormula(value.join(LIST_SEPARATOR)) : String(value);
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
