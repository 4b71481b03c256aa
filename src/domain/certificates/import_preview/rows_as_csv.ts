/** Writes the rows of a preview as CSV, including corrections; those with errors can become a new preview. */

import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import type { Download } from "../../../base/download.ts";
import { eq } from "drizzle-orm";
import { import_preview_rows } from "../../../db/schema/mod.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import { authorizeBulkImport, columnMeant } from "../import/mod.ts";
import { createPreview } from "./create_preview.ts";
import { findDocument, findPreview } from "./find_preview.ts";
import { isTable, type PreviewHead, type PreviewRow } from "./preview.ts";
import { readStored } from "./read_content.ts";
import { cellText, previewRows, readRow } from "./stored_rows.ts";

/** Rows in one part of the text. */
const PART_ROWS = 100;

/**
 * Returns the rows with errors as CSV, which can be corrected and imported. The last column has the errors.
 * Errors: forbidden, not_found.
 */
export async function failedRows({ ctx, key }: { ctx: Context; key: string }): Promise<Download> {
  authorizeBulkImport(ctx);
  const { id, head } = await findPreview({ ctx }, key);
  const found = await ctx.database.all(previewRows(id, eq(import_preview_rows.status, "error")));
  const errors = new Map(found.map(readRow).map((row) => [row.place, messagesOf(row)]));
  const text = await textOf({ ctx, key }, { columns: [...head.columns, "errors"], errors });
  return { mediaType: FORMATS.csv.mediaType, fileName: "failed-rows.csv", text };
}

/**
 * Returns the key of a new preview with the failed rows of a confirmed one, and with the same options.
 * Errors: forbidden, not_found, conflict (nothing to correct), invalid.
 */
export async function retryFailed({ ctx, key }: { ctx: Context; key: string }): Promise<{ key: string }> {
  const { head } = await findPreview({ ctx }, key);
  const { onDuplicate, overwrite, tenant, counts, confirmed } = head;
  if (confirmed === null || counts.error === 0 || !isTable(head)) {
    throw new AppError("conflict", "This import has no rows that can be corrected.");
  }
  const content = await joined((await failedRows({ ctx, key })).text);
  return await createPreview({ ctx, input: { content, format: "csv", onDuplicate, overwrite, tenant } });
}

/** Returns all rows of the document as CSV, with the headings of the document. Errors: not_found. */
export async function correctedText({ ctx, key }: { ctx: Context; key: string }): Promise<string> {
  const { head } = await findPreview({ ctx }, key);
  return await joined(await textOf({ ctx, key }, { columns: head.columns, headings: headingsOf(head) }));
}

async function joined(parts: Download["text"]): Promise<string> {
  let text = "";
  for await (const part of parts) text += part;
  return text;
}

/**
 * Returns the headings of the document by column. A heading that only a user's choice connects with its column is left
 * out, because it would be unknown in the next preview.
 */
function headingsOf({ headings }: PreviewHead): ReadonlyMap<string, string> {
  return new Map(
    headings.flatMap(({ name, column }): [string, string][] =>
      column !== null && columnMeant(name) === column ? [[column, name]] : []
    ),
  );
}

async function textOf(
  { ctx, key }: { ctx: Context; key: string },
  { columns, errors, headings }: {
    columns: readonly string[];
    errors?: ReadonlyMap<number, string>;
    /** Headings of columns that have other names in the text. */
    headings?: ReadonlyMap<string, string>;
  },
): Promise<Download["text"]> {
  const headingOf = (column: string): string => headings?.get(column) ?? column;
  const { rows } = await readStored(ctx, await findDocument({ ctx, key }));
  const cells = new Map(rows.map((row) => [row.place, row.cells ?? {}]));
  const places = errors === undefined ? [...cells.keys()] : [...errors.keys()];
  const written = places.map((place): ExportRow => {
    const own = Object.entries(cells.get(place) ?? {}).filter(([, value]) => value !== null);
    const texts = Object.fromEntries(own.map(([column, value]) => [headingOf(column), cellText(value)]));
    return errors === undefined ? texts : { ...texts, errors: errors.get(place) ?? "" };
  });
  return writeDocument(FORMATS.csv.writer(columns.map(headingOf)), inParts(written));
}

async function* inParts(rows: readonly ExportRow[]): AsyncGenerator<readonly ExportRow[]> {
  for (let from = 0; from < rows.length; from += PART_ROWS) {
    yield await Promise.resolve(rows.slice(from, from + PART_ROWS));
  }
}

function messagesOf({ place, messages }: PreviewRow): string {
  const all = Object.entries(messages).map(([column, said]) =>
    column === "__all__" ? said.join(" ") : `${column}: ${said.join(" ")}`
  );
  return `Row ${place}. ${all.join(" ")}`;
}
