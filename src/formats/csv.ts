/**
 * Writes CSV (RFC 4180): CRLF, a header row, lists joined by semicolons, empty cells for null, and escaped
 * formulas.
 */

import { stringify } from "csv-stringify/sync";
import { writeNames } from "../base/spellings/names.ts";
import type { ExportRow, ExportValue, Writer } from "./stream.ts";

/** Separates the texts of a list in a cell. */
export const LIST_SEPARATOR = ";";
/** Number of rows per call of the library, because each call costs time. */
const BATCH = 50;

export function csvWriter(fields: readonly string[]): Writer {
  const options = {
    record_delimiter: "\r\n",
    // Quotes also cells with other line ends, and leading or trailing spaces, which some readers trim.
    quoted_match: /[\r\n]|^\s|\s$/,
    // Quotes the empty cell of a single column, because readers ignore empty lines.
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
  return fields.map((field) => cell(row[field] ?? null, field));
}

function cell(value: ExportValue, field: string): string {
  if (value === null) return "";
  if (field === "sans" && typeof value === "object") return guardFormula(writeNames(value));
  if (typeof value === "string") return guardFormula(value);
  return typeof value === "object" ? guardFormula(value.join(LIST_SEPARATOR)) : String(value);
}

/*
 * Spreadsheets evaluate a cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return (CSV injection),
 * unless a `'` precedes it. The escaping is reversible: a text that looks escaped is escaped again (`=1` becomes
 * `'=1`, and `'=1` becomes `''=1`).
 */
const DANGEROUS = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** Returns text that spreadsheets do not evaluate. */
export function guardFormula(text: string): string {
  return DANGEROUS.test(text) ? `'${text}` : text;
}

/** Reverses {@link guardFormula}. Returns other texts unchanged, even if they begin with `'`. */
export function unguardFormula(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
