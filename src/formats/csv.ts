/** CSV (RFC 4180): CRLF, a header row, lists joined by semicolons, nothing for null, texts guarded against formulas. */

import { stringify } from "csv-stringify/sync";
import { guardFormula } from "./formula_guard.ts";
import type { ExportRow, ExportValue, Writer } from "./types.ts";

/** Between the texts of a list in one cell. */
export const LIST_SEPARATOR = ";";
/** Rows written at a time: the library's cost is one of calls. */
const BATCH = 50;

/** A CSV document. */
export function csvWriter(fields: readonly string[]): Writer {
  const options = {
    record_delimiter: "\r\n",
    // A line end of another kind, and blanks that readers like to trim.
    quoted_match: /[\r\n]|^\s|\s$/,
    // An empty line would be no row at all.
    quoted_empty: fields.length === 1,
  };
  return {
    begin: stringify([[...fields]], options),
    *rows(rows): Generator<string> {
      for (let from = 0; from < rows.length; from += BATCH) {
        yield stringify(rows.slice(from, from + BATCH).map((row) => cellsOf(row, fields)), options);
      }
    },
    end: () => "",
  };
}

function cellsOf(row: ExportRow, fields: readonly string[]): string[] {
  return fields.map((field) => cell(row[field] ?? null));
}

function cell(value: ExportValue): string {
  if (value === null) return "";
  if (typeof value === "string") return guardFormula(value);
  return typeof value === "object" ? guardFormula(value.join(LIST_SEPARATOR)) : String(value);
}
