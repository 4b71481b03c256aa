/** Reads the certificates of an export. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { idsIn, objectMaker, type Row, where } from "../../../db/mod.ts";
import { compileOrdering, mapIn, type OrderKey } from "../../../filters/mod.ts";
import type { ExportRow, ExportValue } from "../../../formats/mod.ts";
import { requireField, selectList } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { exportedField, exportReader } from "./fields.ts";

/** Number of rows per statement. */
export const EXPORT_PAGE_ROWS = 500;
/** Number of rows per statement if they have long texts: each row may have two of 1 MiB. */
export const EXPORT_LONG_PAGE_ROWS = 50;

/** Refuses an export that exceeds the limit, because exports are never truncated. Errors: invalid. */
export async function requireExportSize(
  { database, settings: { maxExportSize } }: Context,
  condition: SQL | undefined,
): Promise<void> {
  const matching = sql`SELECT 1 FROM ${certificates.table}${where(condition)}`;
  if (await count(database, sql`${matching} LIMIT ${maxExportSize + 1}`) <= maxExportSize) return;
  const all = await count(database, matching);
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${maxExportSize} certificates. The export would contain ${all}. Narrow it with filters or ` +
      "ids, or export in parts.",
  );
}

async function count(database: Context["database"], rows: SQL): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${rows})`);
  return row?.n ?? 0;
}

/** Which certificates and fields an export reads. */
export interface ExportReading {
  readonly ctx: Context;
  readonly condition: SQL | undefined;
  readonly fields: readonly string[];
}

/**
 * Reads rows in the order of their ids, with one statement per page, so that memory does not grow with the
 * export.
 */
export async function* readPages({ ctx, condition, fields }: ExportReading): AsyncGenerator<ExportRow[]> {
  const { limit, read } = pageReader({ ctx, fields });
  for (let after = 0;;) {
    const page = await read(
      sql`${where(condition, sql`certificates.id > ${after}`)} ORDER BY certificates.id LIMIT ${limit}`,
    );
    if (page.length > 0) yield page.map(({ row }) => row);
    if (page.length < limit) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Reads rows in another order: first all ids, which are small, then each page with one statement. */
export async function* readInOrder(
  { ctx, condition, fields, order }: ExportReading & { order: readonly OrderKey[] },
): AsyncGenerator<ExportRow[]> {
  const { limit, read } = pageReader({ ctx, fields });
  const terms = compileOrdering(order, {
    map: mapIn(ctx, certificates.map),
    alias: "certificates",
    shown: viewRestrictions(ctx),
  });
  const [found] = await ctx.database.all<{ ids: string }>(
    sql`SELECT json_group_array(id) AS ids FROM (
      SELECT certificates.id AS id FROM ${certificates.table}${where(condition)} ORDER BY ${terms})`,
  );
  const ids: number[] = JSON.parse(found?.ids ?? "[]");
  for (let from = 0; from < ids.length; from += limit) {
    const part = ids.slice(from, from + limit);
    const page = await read(where(condition, sql`certificates.id IN ${idsIn(part)}`));
    const byId = new Map(page.map(({ id, row }) => [id, row]));
    // Certificates that were deleted or changed in the meantime are left out.
    yield part.map((id) => byId.get(id)).filter((row) => row !== undefined);
  }
}

/** Returns the function that reads a page of rows, and the number of rows in a page. */
function pageReader({ ctx, fields }: Pick<ExportReading, "ctx" | "fields">): {
  limit: number;
  read: (rest: SQL) => Promise<{ id: number; row: ExportRow }[]>;
} {
  const sources = [...new Set(fields.map(exportedField))];
  const packed = selectList(
    certificates,
    { brief: false, omit: ["display"], fields: sources, long: true },
    ctx,
  );
  const readers = fields.map((name) => [name, exportReader(name)] as const);
  const shape = objectMaker<Record<string, ExportValue>>(fields);
  const toExport = (row: Row): ExportRow => {
    const values = shape();
    for (const [name, read] of readers) values[name] = read(row, ctx);
    return values;
  };
  const long = sources.some((name) => requireField(certificates, name).long);
  const limit = long ? EXPORT_LONG_PAGE_ROWS : EXPORT_PAGE_ROWS;
  const read = async (rest: SQL): Promise<{ id: number; row: ExportRow }[]> => {
    const statement = sql`SELECT ${packed.list} FROM ${certificates.table}${rest}`;
    const rows = packed.unpack(await ctx.database.all<Row>(packed.grouped(statement, limit)));
    return rows.map((row) => ({ id: row.id, row: toExport(row) }));
  };
  return { limit, read };
}
