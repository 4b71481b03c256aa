/** Reads the certificates of an export. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import { EXPORT_LONG_PAGE_ROWS, EXPORT_PAGE_ROWS } from "../../../base/limits.ts";
import type { Row } from "../../../db/mod.ts";
import type { ExportRow, ExportValue } from "../../../formats/mod.ts";
import { requireField, selectList, where } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { exportReader } from "./fields.ts";

/** Never a silent cut: more than may be exported is refused. Errors: invalid. */
export async function requireSize(
  { database, settings: { maxExportSize } }: Context,
  condition: SQL | undefined,
): Promise<void> {
  const matching = sql`SELECT 1 FROM ${certificates.table}${where(condition)}`;
  if (await count(database, sql`${matching} LIMIT ${maxExportSize + 1}`) <= maxExportSize) return;
  const all = await count(database, matching);
  throw new AppError(
    "invalid",
    `Export size exceeds maximum of ${maxExportSize} certificates. It would hold ${all}: narrow it with filters or ` +
      "ids, or fetch it in parts.",
  );
}

async function count(database: Context["database"], rows: SQL): Promise<number> {
  const [row] = await database.all<{ n: number }>(sql`SELECT count(*) AS n FROM (${rows})`);
  return row?.n ?? 0;
}

/** Rows in the order of their ids, a statement a page: memory does not grow with the export. */
export async function* readPages(
  { ctx, condition, fields }: { ctx: Context; condition: SQL | undefined; fields: readonly string[] },
): AsyncGenerator<ExportRow[]> {
  const packed = selectList(certificates, { brief: false, omit: ["display"], fields, long: true }, ctx);
  const readers = fields.map((name) => [name, exportReader(name)] as const);
  const long = fields.some((name) => requireField(certificates, name).long);
  const limit = long ? EXPORT_LONG_PAGE_ROWS : EXPORT_PAGE_ROWS;
  for (let after = 0;;) {
    const rows = packed.unpack(
      await ctx.database.all<Row>(
        sql`SELECT ${packed.list} FROM ${certificates.table}${
          where(condition, sql`certificates.id > ${after}`)
        } ORDER BY certificates.id LIMIT ${limit}`,
      ),
    );
    if (rows.length > 0) yield rows.map((row) => toExport(row, readers, ctx));
    if (rows.length < limit) return;
    after = rows.at(-1)?.id as number;
  }
}

function toExport(
  row: Row,
  readers: readonly (readonly [name: string, read: (row: Row, ctx: Context) => ExportValue])[],
  ctx: Context,
): ExportRow {
  const values: Record<string, ExportValue> = {};
  for (const [name, read] of readers) values[name] = read(row, ctx);
  return values;
}
