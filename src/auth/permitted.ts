/** Checks ids against the actor's permissions. */

import { sql } from "drizzle-orm";
import { idsIn, type Reader } from "../db/mod.ts";
import { NOTHING } from "../filters/mod.ts";
import type { Context } from "./context.ts";
import { restriction, restrictionSql } from "./restrict.ts";

/** Returns those of `ids` on which the actor may perform `action`. One statement, none for an unrestricted actor. */
export async function permittedIds(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { action, objectType, ids }: { action: string; objectType: string; ids: readonly number[] },
): Promise<Set<number>> {
  const map = ctx.mapOf(objectType);
  const test = restrictionSql(ctx, restriction(ctx.actor, action, map) ?? NOTHING, objectType, map.table);
  if (test === undefined || ids.length === 0) return new Set(ids);
  const table = sql.identifier(map.table);
  const rows = await reader.all<{ id: number }>(
    sql`SELECT ${table}.id FROM ${table} WHERE ${table}.id IN ${idsIn(ids)} AND ${test}`,
  );
  return new Set(rows.map((row) => row.id));
}
