/** Previews of the caller, as the store has them. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { forbidden, notFound } from "../../../base/errors.ts";
import type { Reader, Row } from "../../../db/mod.ts";
import { import_preview_rows, import_previews } from "../../../db/schema/mod.ts";
import type { DocumentError, PreviewHead } from "./preview.ts";

/** Which previews are the caller's own and have not expired. Everybody else's are as if they were not there. */
function own(ctx: Context): SQL {
  return sql`user_id = ${userOf(ctx)} AND expires > ${ctx.clock.now()}`;
}

/** The user that previews belong to. Errors: forbidden (the service itself has none). */
export function userOf({ actor }: Context): number {
  if (actor.userId === null) throw forbidden();
  return actor.userId;
}

const HEAD = sql`id, key, format, on_duplicate, tenant, columns, errors, created, expires, confirmed,
  (SELECT json_group_object(status, n) FROM (
    SELECT status, count(*) AS n FROM ${import_preview_rows} WHERE preview_id = ${import_previews}.id GROUP BY status
  )) AS counts`;

/** All of the caller's previews, the latest first. One statement. */
export async function findPreviews(ctx: Context): Promise<PreviewHead[]> {
  const rows = await ctx.database.all(
    sql`SELECT ${HEAD} FROM ${import_previews} WHERE ${own(ctx)} ORDER BY id DESC`,
  );
  return rows.map((row) => readHead(row).head);
}

/** One of them with its id. One statement. Errors: not_found. */
export async function findPreview(
  { ctx, reader = ctx.database }: { ctx: Context; reader?: Reader },
  key: string,
): Promise<{ id: number; head: PreviewHead }> {
  const [row] = await reader.all(
    sql`SELECT ${HEAD} FROM ${import_previews} WHERE key = ${key} AND ${own(ctx)}`,
  );
  if (row === undefined) throw notFound();
  return readHead(row);
}

/** The document of one of them. One statement. Errors: not_found. */
export async function findContent({ ctx, key }: { ctx: Context; key: string }): Promise<string> {
  const [row] = await ctx.database.all<{ content: string }>(
    sql`SELECT content FROM ${import_previews} WHERE key = ${key} AND ${own(ctx)}`,
  );
  if (row === undefined) throw notFound();
  return row.content;
}

/** Takes one of them away; gives whether it was there. */
export async function deletePreview({ ctx, key }: { ctx: Context; key: string }): Promise<boolean> {
  const gone = await ctx.database.write((tx) =>
    tx.run(sql`DELETE FROM ${import_previews} WHERE key = ${key} AND ${own(ctx)}`)
  );
  return gone > 0;
}

function readHead(row: Row): { id: number; head: PreviewHead } {
  const counts = JSON.parse(row.counts as string) as Partial<PreviewHead["counts"]>;
  const head: PreviewHead = {
    key: row.key as string,
    format: row.format as PreviewHead["format"],
    onDuplicate: row.on_duplicate as PreviewHead["onDuplicate"],
    tenant: row.tenant as string,
    columns: JSON.parse(row.columns as string) as string[],
    errors: JSON.parse(row.errors as string) as DocumentError[],
    created: row.created as number,
    expires: row.expires as number,
    confirmed: row.confirmed as number | null,
    counts: { create: 0, skip: 0, error: 0, ...counts },
  };
  return { id: row.id as number, head };
}
