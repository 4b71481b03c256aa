/** Rows of a preview as the store has them. */

import { type SQL, sql } from "drizzle-orm";
import type { FieldErrors } from "../../../base/errors.ts";
import { MAX_PREVIEW_CELL_CHARS } from "../../../base/limits.ts";
import { insertRows, jsonText, type Row } from "../../../db/mod.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { LIST_SEPARATOR } from "../../../formats/mod.ts";
import { IMPORT_COLUMNS } from "../import/mod.ts";
import type { JudgedRow, Judgement } from "./judge_document.ts";
import type { PreviewCell, PreviewRow, RowStatus } from "./preview.ts";

/** The columns that are shown: those of the document in its own order, then those that are missed. */
export function columnsOf({ rows }: Judgement): string[] {
  const columns = new Set<string>();
  for (const { cells } of rows) for (const name of Object.keys(cells)) columns.add(name);
  for (const { messages } of rows) for (const name of Object.keys(messages)) columns.add(name);
  return [...columns].filter((name) => IMPORT_COLUMNS.includes(name));
}

/** Puts the rows of a judgement in the place of those that a preview has. */
export function replaceRows(previewId: number, { rows }: Judgement, columns: readonly string[]): SQL[] {
  const stored = rows.map((row) => storedRow(previewId, row, columns));
  return [
    sql`DELETE FROM ${import_preview_rows} WHERE preview_id = ${previewId}`,
    ...(stored.length === 0 ? [] : [insertRows(import_preview_rows, stored)]),
  ];
}

function storedRow(previewId: number, row: JudgedRow, columns: readonly string[]): Row {
  return {
    preview_id: previewId,
    place: row.place,
    status: row.status,
    cells: jsonText(columns.map((name) => storedCell(row.cells[name]))),
    messages: jsonText(row.messages),
    certificate_id: row.existing,
  };
}

/** A text as it is; a long one as its beginning and its length; null for none. */
function storedCell(value: unknown): string | readonly [text: string, length: number] | null {
  if (value === undefined || value === null) return null;
  const text = cellText(value);
  if (text.length <= MAX_PREVIEW_CELL_CHARS) return text;
  return [text.slice(0, MAX_PREVIEW_CELL_CHARS), text.length];
}

/** A cell of a document as text; a null character, which no text in the store may have, by its symbol. */
export function cellText(value: unknown): string {
  const plain = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = typeof value === "string"
    ? value
    : plain
    ? (value as string[]).join(LIST_SEPARATOR)
    : JSON.stringify(value);
  return text.replaceAll("\0", "\u2400").toWellFormed();
}

/** A row out of the store. */
export function readRow(row: Row): PreviewRow {
  const cells = JSON.parse(row.cells as string) as (string | [string, number] | null)[];
  return {
    place: row.place as number,
    status: row.status as RowStatus,
    cells: cells.map(readCell),
    messages: JSON.parse(row.messages as string) as FieldErrors,
    certificateId: row.certificate_id as number | null,
  };
}

function readCell(cell: string | [string, number] | null): PreviewCell {
  if (cell === null) return null;
  return typeof cell === "string" ? { text: cell, length: cell.length } : { text: cell[0], length: cell[1] };
}
