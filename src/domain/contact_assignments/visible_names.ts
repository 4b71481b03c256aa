/** Names of objects of several types that have one. */

import { getTableName, sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../auth/mod.ts";
import { andAll, idsIn } from "../../db/mod.ts";
import type { Resource } from "../../resource/mod.ts";

/** Returns the names of those objects that the caller may view, by type and id. At most one statement. */
export async function visibleNames(
  ctx: Context,
  ids: ReadonlyMap<Resource, readonly number[]>,
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const parts = [...ids].map(([{ objectType, map, table }, some]) => {
    const own = sql.identifier(getTableName(table));
    return sql`SELECT ${objectType} AS type, id, name FROM ${own} WHERE ${
      andAll(sql`${own}.id IN ${idsIn(some)}`, visibleSql(ctx, map))
    }`;
  });
  if (parts.length === 0) return new Map();
  const rows = await ctx.database.all<{ type: string; id: number; name: string }>(
    sql.join(parts, sql` UNION ALL `),
  );
  return new Map(
    [...Map.groupBy(rows, ({ type }) => type)].map(([type, own]) =>
      [type, new Map(own.map(({ id, name }) => [id, name]))] as const
    ),
  );
}
