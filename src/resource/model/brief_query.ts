/** Loads brief forms by id. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../auth/mod.ts";
import { andAll, idsIn, type ObjectRow, pack, type Row, where } from "../../db/mod.ts";
import { readBrief, selectBrief } from "./brief.ts";
import type { Resource } from "./definition.ts";
import type { Brief } from "./objects.ts";

/** A statement that reads brief forms, and the function that decodes its rows. */
export interface BriefQuery {
  readonly statement: SQL;
  readonly read: (rows: readonly Row[]) => Map<number, Brief>;
}

/** Returns the query for the brief forms of the objects that the caller may view, by id. */
export function briefQuery(ctx: Context, resource: Resource, ids: Iterable<number | null>): BriefQuery {
  const alias = getTableName(resource.table);
  const distinct = [...new Set(ids)].filter((id) => id !== null);
  const condition = andAll(
    sql`${resource.table}.id IN ${idsIn(distinct)}`,
    visibleSql(ctx, resource.map, alias),
  );
  const packed = pack<ObjectRow>(selectBrief(resource, { alias, ctx }));
  return {
    statement: sql`SELECT ${packed.list} FROM ${resource.table}${where(condition)} ORDER BY id`,
    read: (rows) => new Map(packed.unpack(rows).map((row) => [row.id, readBrief(resource, row, ctx)])),
  };
}

/** Reads brief forms by id. One statement. */
export async function loadBriefs(
  ctx: Context,
  resource: Resource,
  ids: Iterable<number | null>,
): Promise<Map<number, Brief>> {
  const { statement, read } = briefQuery(ctx, resource, ids);
  return read(await ctx.database.all<Row>(statement));
}
