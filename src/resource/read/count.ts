/**
 * Counts of lists. Each is cached with the version of the inventory (the last id of the change log). It is
 * kept across changes that cannot affect it: those of other objects, and new objects, of which only the new
 * ones are counted.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { perDatabase, type ReadOptions, render, type Row, where } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";
import { unrecordedColumns } from "../model/registry.ts";
import type { Resource } from "../model/definition.ts";
import { independentTypes, readsUntracked } from "./count_dependencies.ts";
import type { ListedRows } from "./listed_rows.ts";
import { type CountingWay, textFrequency } from "./text_frequency.ts";
import { wholeCountSql } from "./set_aside.ts";

/** Maximum number of cached counts. */
const COUNT_CACHE_ENTRIES = 1_000;
/** Maximum number of changes that are examined to keep a count. With more, counting takes no longer. */
const MAX_CHANGES_SINCE = 5_000;
/** Number of rows of a table or list from which counting is a long read: about ten milliseconds. */
const LONG_ROWS = 50_000;

/** The size of a list and of its table. */
export interface ListSize {
  /** Number of matching rows. It may be outdated, so it must only be used to choose a query plan. */
  readonly matching: number;
  /** Largest id of the table, an estimate of its number of rows. */
  readonly largest: number;
}

/** A list whose rows are counted. */
export interface CountCall extends ListedRows {
  readonly ctx: Context;
  readonly resource: Resource;
}

interface CachedCount extends ListSize {
  readonly version: number;
  /** How rows with a text are counted. */
  readonly way: CountingWay;
}

const stateOf = perDatabase(() => ({
  counts: new Map<string, CachedCount>(),
  /** Counts that are being computed. */
  pending: new Map<string, Promise<CachedCount>>(),
  /** The largest id of each resource's table at its last count, by object type. */
  largest: new Map<string, number>(),
}));

/**
 * Reads a page and counts all matching rows. The version is read first, so that a concurrent change makes the
 * cached count look older than it is, never newer. Two statements if the count is cached, otherwise three,
 * and one more for the first search for a text, to determine how common it is.
 * @param page Returns the page's statement for the size of the list.
 */
export async function countedPage(
  call: CountCall,
  page: (size: ListSize) => SQL,
): Promise<[count: number, rows: Row[]]> {
  const { database } = call.ctx;
  const { key, known } = cached(call);
  if (known === undefined) {
    const size = await countOnce(call, key);
    return [size.matching, await database.all<Row>(page(size), readOf(call))];
  }
  const statements = [versionSql(call.resource), page(known)];
  const [[newest], rows] = await database.batch(statements, readOf(call)) as [Row[], Row[]];
  const isCurrent = known.version === newest?.version && isTracked(call.resource, key);
  return [(isCurrent ? known : await recount(call, key, known)).matching, rows];
}

/** Counts the matching rows. One statement if the count is cached, otherwise two or three. */
export async function countMatching(call: CountCall): Promise<number> {
  const { key, known } = cached(call);
  if (known === undefined || !isTracked(call.resource, key)) return (await countOnce(call, key)).matching;
  const [newest] = await call.ctx.database.all<Row>(versionSql(call.resource));
  return (known.version === newest?.version ? known : await recount(call, key, known)).matching;
}

function cached(call: CountCall): { key: string; known: CachedCount | undefined } {
  const key = cacheKey(countSql(call));
  return { key, known: stateOf(call.ctx.database).counts.get(key) };
}

/** Counts all matching rows. Concurrent calls share one count, which the later ones update. */
async function countOnce(call: CountCall, key: string): Promise<CachedCount> {
  const { pending } = stateOf(call.ctx.database);
  const earlier = pending.get(key);
  if (earlier !== undefined) return await recount(call, key, await earlier);
  const made = hasSeveralWays(call)
    ? textFrequency(call.ctx, call).then((frequency) => count(call, key, frequency))
    : count(call, key);
  pending.set(key, made);
  try {
    return await made;
  } finally {
    pending.delete(key);
  }
}

/** Returns whether the fastest way to count a list depends on its text. */
function hasSeveralWays({ condition, scanning, searched, leading }: CountCall): boolean {
  return condition !== scanning && (searched.length > 0 || leading !== undefined);
}

/** Returns the options with which the rows of a list are read. */
function readOf({ ctx }: CountCall, long = false): ReadOptions {
  return { long, owner: ctx.actor.userId };
}

/** Counts all matching rows and caches the result. */
async function count(
  call: CountCall,
  key: string,
  { way, largest }: Pick<CachedCount, "way" | "largest"> = { way: "search", largest: 0 },
): Promise<CachedCount> {
  const { resource } = call;
  const statements = [versionSql(resource), countSql(call, way)];
  const table = stateOf(call.ctx.database).largest.get(resource.objectType) ?? largest;
  const long = !call.unfiltered && Math.max(table, largest) >= LONG_ROWS;
  const [[newest], [counted]] = await call.ctx.database.batch(statements, readOf(call, long)) as [
    Row[],
    Row[],
  ];
  return remember(call, key, {
    version: newest?.version as number,
    largest: newest?.largest as number,
    matching: counted?.n as number,
    way,
  });
}

/**
 * Updates a cached count, if possible from the rows that were added since. One statement, or two if it takes
 * long.
 */
async function recount(call: CountCall, key: string, known: CachedCount): Promise<CachedCount> {
  const { ctx, resource } = call;
  const all = countSql(call, known.way);
  const types = isTracked(resource, key) ? independentTypes(call, key) : undefined;
  const isLong = Math.max(known.matching, call.searched.length > 0 ? known.largest : 0) >= LONG_ROWS;
  if (isLong && types === undefined) return await count(call, key, known);
  const matching = types === undefined
    ? sql`(${all})`
    : keptSql(call, { known, types, all: isLong ? sql`NULL` : all });
  const [now] = await ctx.database.all<Row>(sql`SELECT version, largest, ${matching} AS matching
    FROM (${versionSql(resource)})`);
  if (typeof now?.matching !== "number") return await count(call, key, known);
  return remember(call, key, {
    version: now.version as number,
    largest: now.largest as number,
    matching: now.matching,
    way: known.way,
  });
}

/**
 * Returns an expression for a count: the known one plus the rows that were added, or the count of all rows.
 */
function keptSql(
  { resource, scanning }: CountCall,
  { known, types, all }: { known: CachedCount; types: readonly string[]; all: SQL },
): SQL {
  const since = sql`FROM ${object_changes} WHERE id > ${known.version}`;
  const isNew = sql`object_type = ${resource.objectType} AND object_id > ${known.largest}`;
  const isOther = sql`action <> 'delete' AND object_type IN (SELECT value FROM json_each(${
    JSON.stringify(types)
  }))`;
  // NOT INDEXED makes SQLite use the range of ids.
  const added = sql`SELECT count(*) FROM ${resource.table} NOT INDEXED${
    where(sql`${resource.table}.id > ${known.largest}`, scanning)
  }`;
  return sql`CASE WHEN version - ${known.version} > ${MAX_CHANGES_SINCE}
      OR EXISTS (SELECT 1 ${since} AND NOT (${isNew} OR ${isOther}))
    THEN (${all}) ELSE ${known.matching} + (${added}) END`;
}

/** Returns whether every change that may affect the count of a statement has a change record. */
function isTracked(resource: Resource, statement: string): boolean {
  return !resource.untracked && !unrecordedColumns().some((column) => statement.includes(`"${column}"`)) &&
    !readsUntracked(resource, statement);
}

function versionSql(resource: Resource): SQL {
  return sql`SELECT (SELECT coalesce(max(id), 0) FROM ${object_changes}) AS version,
    (SELECT coalesce(max(id), 0) FROM ${resource.table}) AS largest`;
}

function countSql(
  { resource, condition, scanning, leading, unfiltered }: CountCall,
  way: CountingWay = "search",
): SQL {
  const { blocks } = resource;
  if (unfiltered && blocks !== undefined) return wholeCountSql({ ...resource, blocks });
  const along = way === "walk" && leading !== undefined
    ? sql` INDEXED BY ${sql.identifier(leading.index)}`
    : sql``;
  return sql`SELECT count(*) AS n FROM ${resource.table}${along}${
    where(way === "search" ? condition : scanning)
  }`;
}

function cacheKey(statement: SQL): string {
  const { sql: text, args } = render(statement);
  // Integers are bound as bigint, which JSON does not support.
  return `${text}\n${JSON.stringify(args, (_, value) => typeof value === "bigint" ? Number(value) : value)}`;
}

/** Caches a count. The least recently used one is evicted. */
function remember(call: CountCall, key: string, made: CachedCount): CachedCount {
  const { counts, largest } = stateOf(call.ctx.database);
  largest.set(call.resource.objectType, made.largest);
  counts.delete(key);
  counts.set(key, made);
  if (counts.size > COUNT_CACHE_ENTRIES) counts.delete(counts.keys().next().value as string);
  return made;
}
