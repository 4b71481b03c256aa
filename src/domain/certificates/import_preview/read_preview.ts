/** Reads previews: one with a page of its rows, one row whole, the document, or the list of them all. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { IMPORT_PREVIEW_PAGE_ROWS } from "../../../base/limits.ts";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { authorizeBulkImport } from "../import/mod.ts";
import { findContent, findPreview, findPreviews } from "./find_preview.ts";
import { type PreviewHead, type PreviewRow, totalOf } from "./preview.ts";
import { readKept } from "./read_content.ts";
import { cellText, readRow } from "./stored_rows.ts";

/** A preview with one page of its rows. */
export interface PreviewPage extends PreviewHead {
  readonly rows: readonly PreviewRow[];
  /** Counted from 1. */
  readonly page: number;
  readonly pages: number;
}

/**
 * Gives a page of a preview, however long it is: two statements. A page beyond the last is the last.
 * Errors: forbidden, not_found.
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
    sql`${selectRows(id, only)} ORDER BY place
      LIMIT ${IMPORT_PREVIEW_PAGE_ROWS} OFFSET ${(current - 1) * IMPORT_PREVIEW_PAGE_ROWS}`,
  );
  return { ...head, rows: rows.map(readRow), page: current, pages };
}

function selectRows(id: number, only: "all" | "errors"): SQL {
  const filter = only === "errors" ? sql` AND status = 'error'` : sql``;
  return sql`SELECT place, status, cells, messages, certificate_id FROM ${import_preview_rows}
    WHERE preview_id = ${id}${filter}`;
}

/** A row with its cells as they are, by column. */
export interface WholeRow extends PreviewRow {
  readonly whole: readonly { readonly column: string; readonly text: string }[];
}

/** Gives one row with its cells uncut, out of the document. Errors: forbidden, not_found. */
export async function readPreviewRow(
  { ctx, key, place }: { ctx: Context; key: string; place: number },
): Promise<WholeRow> {
  authorizeBulkImport(ctx);
  const { id, head } = await findPreview({ ctx }, key);
  const [row] = await ctx.database.all(sql`${selectRows(id, "all")} AND place = ${place}`);
  if (row === undefined) throw notFound();
  const document = await readKept(ctx, { text: await findContent({ ctx, key }), format: head.format });
  const cells = document.rows.find((one) => one.place === place)?.cells ?? {};
  const whole = head.columns.filter((column) => cells[column] !== undefined && cells[column] !== null)
    .map((column) => ({ column, text: cellText(cells[column]) }));
  return { ...readRow(row), whole };
}

/** The document of a preview as it was given, to be mended. Errors: forbidden, not_found. */
export async function readPreviewContent({ ctx, key }: { ctx: Context; key: string }): Promise<string> {
  authorizeBulkImport(ctx);
  return await findContent({ ctx, key });
}

/** The caller's previews, the latest first. Errors: forbidden. */
export async function listPreviews({ ctx }: { ctx: Context }): Promise<PreviewHead[]> {
  authorizeBulkImport(ctx);
  return await findPreviews(ctx);
}
