/**
 * Counts of lists, remembered until anything changes. Every change of any row writes the change log, so its last id
 * is a version of the whole inventory: as long as it stands, a count stands.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../access/mod.ts";
import { COUNT_CACHE_ENTRIES } from "../base/limits.ts";
import { type Database, render, type Row } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";
import type { Resource } from "./definition.ts";
import { where } from "./where.ts";

interface Counted {
  version: number;
  count: number;
}

const caches = new WeakMap<Database, Map<string, Counted>>();

/**
 * Runs a page's statement and counts the rows of `condition`. The version is read first: a change between the two
 * makes the remembered count look older than it is, never newer.
 */
export async function countRows(
  { ctx, resource, condition }: { ctx: Context; resource: Resource; condition: SQL | undefined },
  page: SQL,
): Promise<[count: number, rows: Row[]]> {
  const cache = caches.get(ctx.database) ?? new Map<string, Counted>();
  caches.set(ctx.database, cache);
  const counting = sql`SELECT count(*) AS n FROM ${resource.table}${where(condition)}`;
  const key = cacheKey(counting);
  const [[newest], rows] = await ctx.database.batch([
    sql`SELECT coalesce(max(id), 0) AS version FROM ${object_changes}`,
    page,
  ]) as [Row[], Row[]];
  const version = newest?.version as number;
  const known = cache.get(key);
  if (known?.version === version) return [known.count, rows];
  const [row] = await ctx.database.all<{ n: number }>(counting);
  const count = row?.n ?? 0;
  remember(cache, key, { version, count });
  return [count, rows];
}

function cacheKey(statement: SQL): string {
  const { sql: text, args } = render(statement);
  // Whole numbers are bound as bigint, which JSON does not know.
  return `${text}\n${JSON.stringify(args, (_, value) => typeof value === "bigint" ? Number(value) : value)}`;
}

/** The oldest entry makes room. */
function remember(cache: Map<string, Counted>, key: string, counted: Counted): void {
  cache.delete(key);
  cache.set(key, counted);
  if (cache.size <= COUNT_CACHE_ENTRIES) return;
  const oldest = cache.keys().next().value;
  if (oldest !== undefined) cache.delete(oldest);
}
