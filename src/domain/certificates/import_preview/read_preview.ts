/** Reads previews: a page of rows, one full row, the document, or the list of previews. */

import { and, eq, max, min, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { IMPORT_PREVIEW_PAGE_ROWS } from "../../../base/limits.ts";
import { jsonText, select } from "../../../db/mod.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { authorizeBulkImport } from "../import/mod.ts";
import { findDocument, findPreview, findPreviews } from "./find_preview.ts";
import { type PreviewHead, type PreviewRow, totalOf } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { correctedText } from "./rows_as_csv.ts";
import { cellText, previewRows, readRow } from "./stored_rows.ts";

const IS_ERROR = eq(import_preview_rows.status, "error");

/** A preview with one page of its rows. */
export interface PreviewPage extends PreviewHead {
  readonly rows: readonly PreviewRow[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** The first and the last id of the created certificates, which are consecutive; null if there are none. */
  readonly createdIds: readonly [number, number] | null;
  /** Numbers of invalid cells by column and text, of those that several rows have. Only of rows with errors. */
  readonly repeated: ReadonlyMap<string, number>;
  /** The errors of all rows by kind, if several have errors and can be corrected. */
  readonly errorKinds: ErrorKinds;
}

/** Returns the key of a cell in {@link PreviewPage.repeated}. */
export function repeatedKey(column: string, text: string): string {
  return JSON.stringify([column, text]);
}

/**
 * Returns a page of a preview, or its last page if the number is too large. Two statements, one more after the
 * confirmation or with several rows with errors, and one more for these rows alone. Errors: forbidden, not_found.
 */
export async function readPreview(
  { ctx, key, only = "all", page = 1 }: {
    ctx: Context;
    key: string;
    only?: "all" | "errors";
    page?: number;
  },
): Promise<PreviewPage> {
  authorizeBulkImport(ctx);
  const { id, head } = await findPreview({ ctx }, key);
  const count = only === "errors" ? head.counts.error : totalOf(head);
  const pages = Math.max(1, Math.ceil(count / IMPORT_PREVIEW_PAGE_ROWS));
  const current = Math.min(Math.max(1, page), pages);
  const rows = await ctx.database.all(
    previewRows(id, only === "errors" ? IS_ERROR : undefined)
      .limit(IMPORT_PREVIEW_PAGE_ROWS).offset((current - 1) * IMPORT_PREVIEW_PAGE_ROWS),
  );
  const createdIds = head.confirmed === null ? null : await findCreated(ctx, id);
  // Without all columns, the rows are only samples.
  const hasSeveral = head.confirmed === null && head.counts.error > 1;
  const errorKinds = hasSeveral && head.errors.length === 0
    ? await countErrorKinds(ctx, { id, columns: head.columns })
    : { kinds: [], total: 0 };
  const repeated = hasSeveral && only === "errors"
    ? await countRepeated(ctx, { id, head })
    : new Map<string, number>();
  return { ...head, rows: rows.map(readRow), page: current, pages, createdIds, repeated, errorKinds };
}

/** Columns whose values differ in all rows. */
const DISTINCT: readonly string[] = ["common_name", "serial_number", "fingerprint_sha256"];

/** Counts equal invalid texts of a column. One statement. */
async function countRepeated(
  { database }: Context,
  { id, head: { columns } }: { id: number; head: PreviewHead },
): Promise<Map<string, number>> {
  const places = columns.map((name, index) => [name, index] as const).filter(([name]) =>
    !DISTINCT.includes(name)
  );
  const rows = await database.all<{ column: string; text: string; n: number }>(
    sql`SELECT wrong.key AS "column", coalesce(cells ->> places.value, '') AS text, count(*) AS n
      FROM ${import_preview_rows} CROSS JOIN json_each(messages) AS wrong
      JOIN json_each(${jsonText(Object.fromEntries(places))}) AS places ON places.key = wrong.key
      WHERE preview_id = ${id} AND status = 'error' GROUP BY 1, 2 HAVING n > 1`,
  );
  return new Map(rows.map(({ column, text, n }) => [repeatedKey(column, text), n]));
}

/** Maximum number of kinds that are returned. */
const MAX_KINDS = 8;

/** Errors of one column that differ at most in the value that they quote. */
export interface ErrorKind {
  readonly column: string;
  /** The only message, or one of them. */
  readonly message: string;
  /** Number of different messages. */
  readonly messages: number;
  /** Number of rows, and the first of them. */
  readonly rows: number;
  readonly first: number;
  /** The text of the cell if all rows have the same. */
  readonly text: string | null;
}

export interface ErrorKinds {
  /** The kinds with most rows. */
  readonly kinds: readonly ErrorKind[];
  /** Number of all kinds. */
  readonly total: number;
}

/**
 * Counts the errors of rows by kind. Messages with a suggestion are one kind each, because each can be accepted. One
 * statement.
 */
async function countErrorKinds(
  { database }: Context,
  { id, columns }: { id: number; columns: readonly string[] },
): Promise<ErrorKinds> {
  const places = jsonText(Object.fromEntries(columns.map((name, index) => [name, index])));
  const rows = await database.all<Omit<ErrorKind, "text"> & { text: string; texts: number; total: number }>(
    sql`WITH found AS (
        SELECT place, wrong.key AS "column", message.value AS message, coalesce(cells ->> places.value, '') AS text
        FROM ${import_preview_rows} CROSS JOIN json_each(messages) AS wrong
        CROSS JOIN json_each(wrong.value) AS message
        LEFT JOIN json_each(${places}) AS places ON places.key = wrong.key
        WHERE preview_id = ${id} AND status = 'error')
      SELECT "column", min(message) AS message, count(DISTINCT message) AS messages, count(DISTINCT place) AS rows,
        min(place) AS first, min(text) AS text, count(DISTINCT text) AS texts, count(*) OVER () AS total
      FROM found
      GROUP BY "column", CASE
        WHEN instr(message, 'Did you mean "') > 0 THEN message
        WHEN message GLOB 'Duplicate of *' THEN 'Duplicate of'
        ELSE substr(message, 1, min(instr(message || '"', '"'), instr(message || ':', ':')) - 1) END
      ORDER BY rows DESC, first LIMIT ${MAX_KINDS}`,
  );
  const kinds = rows.map(({ text, texts, total: _, ...kind }) => ({
    ...kind,
    text: texts === 1 ? text : null,
  }));
  return { kinds, total: rows[0]?.total ?? 0 };
}

async function findCreated({ database }: Context, id: number): Promise<PreviewPage["createdIds"]> {
  const { certificate_id, preview_id, status } = import_preview_rows;
  const [row] = await database.all(
    select({ first: min(certificate_id), last: max(certificate_id) }).from(import_preview_rows)
      .where(and(eq(preview_id, id), eq(status, "create"))),
  );
  return row === undefined || row.first === null || row.last === null ? null : [row.first, row.last];
}

/** A row with complete cells by column, and the nearest rows with errors before and after it. */
export interface FullRow extends PreviewRow {
  readonly head: PreviewHead;
  readonly previousError: number | null;
  readonly nextError: number | null;
  /** Cells that are not empty, with their complete texts. */
  readonly texts: readonly { readonly column: string; readonly text: string }[];
}

/** Returns a row with its complete cells from the document. Errors: forbidden, not_found. */
export async function readPreviewRow(
  { ctx, key, place }: { ctx: Context; key: string; place: number },
): Promise<FullRow> {
  authorizeBulkImport(ctx);
  const { id, head } = await findPreview({ ctx }, key);
  const [row] = await ctx.database.all(previewRows(id, eq(import_preview_rows.place, place)));
  if (row === undefined) throw notFound();
  const errors = sql`${import_preview_rows} WHERE preview_id = ${id} AND status = 'error'`;
  const [near] = await ctx.database.all<{ before: number | null; after: number | null }>(
    sql`SELECT (SELECT max(place) FROM ${errors} AND place < ${place}) AS before,
      (SELECT min(place) FROM ${errors} AND place > ${place}) AS after`,
  );
  const document = await readStored(ctx, await findDocument({ ctx, key }));
  const cells = document.rows.find((one) => one.place === place)?.cells ?? {};
  const texts = head.columns.filter((column) => cells[column] !== undefined && cells[column] !== null)
    .map((column) => ({ column, text: cellText(cells[column]) }));
  return {
    ...readRow(row),
    head,
    previousError: near?.before ?? null,
    nextError: near?.after ?? null,
    texts,
  };
}

/**
 * Returns the document of a preview for editing, as CSV if cells were corrected. Errors: forbidden,
 * not_found.
 */
export async function readPreviewContent({ ctx, key }: { ctx: Context; key: string }): Promise<string> {
  authorizeBulkImport(ctx);
  const { text, edits } = await findDocument({ ctx, key });
  return edits.size === 0 ? text : await correctedText({ ctx, key });
}

/** Returns the caller's previews, newest first. Errors: forbidden. */
export async function listPreviews({ ctx }: { ctx: Context }): Promise<PreviewHead[]> {
  authorizeBulkImport(ctx);
  return await findPreviews(ctx);
}
