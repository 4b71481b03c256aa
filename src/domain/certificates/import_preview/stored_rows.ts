/** Writes and reads the rows of a preview. */

import { and, eq, type SQL, type SQLWrapper } from "drizzle-orm";
import type { FieldErrors } from "../../../base/errors.ts";
import { MAX_PREVIEW_CELL_CHARS } from "../../../base/limits.ts";
import { deleteFrom, insertRows, jsonText, type Row, type RowsOf, select } from "../../../db/mod.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { LIST_SEPARATOR } from "../../../formats/mod.ts";
import { type DataDocument, isImportColumn, type RowStatus } from "../import/mod.ts";
import type { CheckedDocument, CheckedRow } from "./check_document.ts";
import type { Heading, PreviewCell, PreviewRow } from "./preview.ts";

/**
 * Returns the columns to show: those of the document in their order, then missing columns that have errors.
 */
export function columnsToShow({ rows }: CheckedDocument): string[] {
  const columns = new Set<string>();
  for (const { cells } of rows) for (const name of Object.keys(cells)) columns.add(name);
  for (const { messages } of rows) for (const name of Object.keys(messages)) columns.add(name);
  return [...columns].filter(isImportColumn);
}

/** Returns the columns with their names in the document; `before` contains those that a user chose. */
export function headingsOf({ named }: DataDocument, before: readonly Heading[] = []): Heading[] {
  const chosen = new Set(before.filter((one) => one.chosen).map(({ name }) => name));
  return named.filter(({ name }) => name.length <= MAX_PREVIEW_CELL_CHARS)
    .map((one) => ({ ...one, samples: one.samples.map(cellText), chosen: chosen.has(one.name) }));
}

/** Replaces the stored rows of a preview. */
export function replaceRows(
  previewId: number,
  { rows }: CheckedDocument,
  columns: readonly string[],
): SQLWrapper[] {
  const stored = rows.map((row) => storedRow(previewId, row, columns));
  return [
    deleteFrom(import_preview_rows).where(eq(import_preview_rows.preview_id, previewId)),
    ...(stored.length === 0 ? [] : [insertRows(import_preview_rows, stored)]),
  ];
}

function storedRow(previewId: number, row: CheckedRow, columns: readonly string[]): Row {
  return {
    preview_id: previewId,
    place: row.place,
    status: row.status,
    cells: jsonText(columns.map((name) => storedCell(row.cells[name]))),
    messages: jsonText(row.messages),
    certificate_id: row.existing,
  };
}

/** Returns a cell as it is stored: a long text as its beginning and length, null without a value. */
function storedCell(value: unknown): string | readonly [text: string, length: number] | null {
  if (value === undefined || value === null) return null;
  const text = cellText(value);
  if (text.length <= MAX_PREVIEW_CELL_CHARS) return text;
  return [text.slice(0, MAX_PREVIEW_CELL_CHARS), text.length];
}

/**
 * Converts a cell to text. Null characters, which the database does not store, are replaced by their symbol.
 */
export function cellText(value: unknown): string {
  const plain = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = typeof value === "string" ? value : plain ? value.join(LIST_SEPARATOR) : JSON.stringify(value);
  return text.replaceAll("\0", "\u2400").toWellFormed();
}

/** Selects rows of a preview. */
// deno-lint-ignore explicit-function-return-type -- the type of the rows follows from the statement
export function previewRows(previewId: number, condition?: SQL) {
  const { preview_id, place, status, cells, messages, certificate_id } = import_preview_rows;
  return select({ place, status, cells, messages, certificate_id }).from(import_preview_rows)
    .where(and(eq(preview_id, previewId), condition)).orderBy(place);
}

type StoredRow = RowsOf<ReturnType<typeof previewRows>>[number];

/** Converts a stored row. */
export function readRow(row: StoredRow): PreviewRow {
  const cells = JSON.parse(row.cells) as (string | [string, number] | null)[];
  return {
    place: row.place,
    status: row.status as RowStatus,
    cells: cells.map(readCell),
    messages: JSON.parse(row.messages) as FieldErrors,
    certificateId: row.certificate_id,
  };
}

function readCell(cell: string | [string, number] | null): PreviewCell {
  if (cell === null) return null;
  return typeof cell === "string" ? { text: cell, length: cell.length } : { text: cell[0], length: cell[1] };
}
