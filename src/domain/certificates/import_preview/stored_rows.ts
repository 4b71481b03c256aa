/** Writes and reads the rows of a preview. */

import { and, eq, type SQL, type SQLWrapper } from "drizzle-orm";
import { MAX_PREVIEW_CELL_CHARS } from "../../../base/limits.ts";
import { deleteFrom, insertRows, jsonText, type Row, type RowsOf, select } from "../../../db/mod.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { LIST_SEPARATOR } from "../../../formats/mod.ts";
import { type DataDocument, isImportColumn, type RowStatus } from "../import/mod.ts";
import type { CheckedDocument } from "./check_document.ts";
import type { Heading, PreviewCell, PreviewRow } from "./preview.ts";

/** Returns the columns to show: those of the document in their order, then missing columns that have errors. */
function columnsToShow({ rows }: CheckedDocument): string[] {
  const names = [
    ...rows.flatMap(({ cells }) => Object.keys(cells)),
    ...rows.flatMap(({ messages }) => Object.keys(messages)),
  ];
  return [...new Set(names)].filter(isImportColumn);
}

/** Returns the columns of a preview's row that describe the document; `before` contains headings that a user chose. */
export function shownColumns(
  { named }: DataDocument,
  checked: CheckedDocument,
  before: readonly Heading[] = [],
): Record<"columns" | "errors" | "headings", string> {
  const chosen = new Set(before.filter((one) => one.chosen).map(({ name }) => name));
  const headings = named.filter(({ name }) => name.length <= MAX_PREVIEW_CELL_CHARS)
    .map((one) => ({ ...one, samples: one.samples.map(cellText), chosen: chosen.has(one.name) }));
  return {
    columns: jsonText(columnsToShow(checked)),
    errors: jsonText(checked.errors),
    headings: jsonText(headings),
  };
}

/** Replaces the stored rows of a preview. */
export function replaceRows(previewId: number, checked: CheckedDocument): SQLWrapper[] {
  const columns = columnsToShow(checked);
  const stored = checked.rows.map((row): Row => ({
    preview_id: previewId,
    place: row.place,
    status: row.status,
    cells: jsonText(columns.map((name) => storedCell(row.cells[name]))),
    messages: jsonText(row.messages),
    certificate_id: row.existing,
  }));
  return [
    deleteFrom(import_preview_rows).where(eq(import_preview_rows.preview_id, previewId)),
    ...(stored.length === 0 ? [] : [insertRows(import_preview_rows, stored)]),
  ];
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
  const cells: (string | [string, number] | null)[] = JSON.parse(row.cells);
  return {
    place: row.place,
    status: row.status as RowStatus,
    cells: cells.map(readCell),
    messages: JSON.parse(row.messages),
    certificateId: row.certificate_id,
  };
}

function readCell(cell: string | [string, number] | null): PreviewCell {
  if (cell === null) return null;
  return typeof cell === "string" ? { text: cell, length: cell.length } : { text: cell[0], length: cell[1] };
}
