/** Finds previews of the caller in the database. */

import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { forbidden, notFound } from "../../../base/errors.ts";
import { type Reader, type RowsOf, select } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import type { SpreadsheetReading } from "../import/mod.ts";
import type { PreviewHead } from "./preview.ts";

/** Selects the caller's previews that have not expired. */
export function own(ctx: Context): SQL | undefined {
  return and(eq(import_previews.user_id, userOf(ctx)), gt(import_previews.expires, ctx.clock.now()));
}

/** Returns the caller's user id. Errors: forbidden (the service itself is not a user). */
export function userOf({ actor }: Context): number {
  if (actor.userId === null) throw forbidden();
  return actor.userId;
}

/** All columns except the document, and the number of rows by status. */
const HEAD = {
  id: import_previews.id,
  key: import_previews.key,
  format: import_previews.format,
  on_duplicate: import_previews.on_duplicate,
  overwrite: import_previews.overwrite,
  tenant: import_previews.tenant,
  columns: import_previews.columns,
  errors: import_previews.errors,
  created: import_previews.created,
  expires: import_previews.expires,
  confirmed: import_previews.confirmed,
  headings: import_previews.headings,
  everywhere: sql<string>`coalesce(${import_previews.edits} -> '$."0"', '{}')`.as("everywhere"),
  counts: sql<string>`(SELECT json_group_object(status, n) FROM (
    SELECT status, count(*) AS n FROM ${import_preview_rows} WHERE preview_id = ${import_previews}.id GROUP BY status
  ))`.as("counts"),
};

/** Selects the caller's previews. */
// deno-lint-ignore explicit-function-return-type -- the type of the rows follows from the statement
function previewsOf(ctx: Context, condition?: SQL) {
  return select(HEAD).from(import_previews).where(and(condition, own(ctx)));
}

/** Returns the caller's previews, newest first. One statement. */
export async function findPreviews(ctx: Context): Promise<PreviewHead[]> {
  const rows = await ctx.database.all(
    previewsOf(ctx).orderBy(desc(import_previews.id)),
  );
  return rows.map((row) => readHead(row).head);
}

/** Returns a preview with its id. One statement. Errors: not_found. */
export async function findPreview(
  { ctx, reader = ctx.database }: { ctx: Context; reader?: Reader },
  key: string,
): Promise<{ id: number; head: PreviewHead }> {
  const [row] = await reader.all(
    previewsOf(ctx, eq(import_previews.key, key)),
  );
  if (row === undefined) throw notFound();
  return readHead(row);
}

/** The document of a preview and its corrections. */
export interface StoredDocument extends SpreadsheetReading {
  readonly text: string;
  readonly format: PreviewHead["format"];
}

/** Texts of corrected cells by row and column. */
export type Edits = SpreadsheetReading["edits"];

/** Returns the document of a preview. One statement. Errors: not_found. */
export async function findDocument({ ctx, key }: { ctx: Context; key: string }): Promise<StoredDocument> {
  const { content, format, headings, edits } = import_previews;
  const [row] = await ctx.database.all(
    select({ content, format, headings, edits }).from(import_previews)
      .where(and(eq(import_previews.key, key), own(ctx))),
  );
  if (row === undefined) throw notFound();
  const named: PreviewHead["headings"] = JSON.parse(row.headings);
  return {
    text: row.content,
    format: row.format as PreviewHead["format"],
    chosen: new Map(named.filter((one) => one.chosen).map(({ name, column }) => [name, column])),
    edits: editsOf(row.edits),
  };
}

/** Reads the column `edits`. */
export function editsOf(text: string): Map<number, Readonly<Record<string, string>>> {
  const found: Record<string, Record<string, string>> = JSON.parse(text);
  return new Map(Object.entries(found).map(([place, cells]) => [Number(place), cells]));
}

function readHead(row: RowsOf<ReturnType<typeof previewsOf>>[number]): { id: number; head: PreviewHead } {
  const counts: Partial<PreviewHead["counts"]> = JSON.parse(row.counts);
  const head: PreviewHead = {
    key: row.key,
    format: row.format as PreviewHead["format"],
    onDuplicate: row.on_duplicate as PreviewHead["onDuplicate"],
    overwrite: row.overwrite === 1,
    tenant: row.tenant,
    columns: JSON.parse(row.columns),
    errors: JSON.parse(row.errors),
    created: row.created,
    expires: row.expires,
    confirmed: row.confirmed,
    headings: JSON.parse(row.headings),
    everywhere: JSON.parse(row.everywhere),
    counts: { create: 0, update: 0, unchanged: 0, skip: 0, error: 0, ...counts },
  };
  return { id: row.id, head };
}
