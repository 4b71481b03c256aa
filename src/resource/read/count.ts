/**
 * Counts of lists, cached until any object changes. Every change is recorded in the change log, so its last id is a
 * version of the complete inventory.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { type Database, render, type Row, where } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";
import { unrecordedColumns } from "../model/registry.ts";
import type { Resource } from "../model/definition.ts";
import { wholeCountSql } from "./set_aside.ts";

/** Cached list counts; each is valid until the next change of any row. */
const COUNT_CACHE_ENTRIES = 1_000;

/** The size of a list and of its table. */
export interface ListSize {
  /** Number of matching rows; possibly outdated, so it may only be used to choose a query plan. */
  readonly matching: number;
  /** Largest id of the table: an estimate of its number of rows. */
  readonly largest: number;
}

/** A list whose rows are counted. */
export interface CountCall {
  readonly ctx: Context;
  readonly resource: Resource;
  readonly condition: SQL | undefined;
  /** Whether it has all rows of its table except those that are set aside. */
  readonly whole: boolean;
}

interface Counted extends ListSize {
  readonly version: number;
}

const caches = new WeakMap<Database, Map<string, Counted>>();

/**
 * Reads a page and counts all matching rows. The version is read first: a concurrent change makes the cached count look
 * older than it is, never newer. Two statements if the count is cached, otherwise three.
 * @param page returns the page's statement for the size of the list.
 */
export async function countedPage(
  { ctx, resource, condition, whole }: CountCall,
  page: (size: ListSize) => SQL,
): Promise<[count: number, rows: Row[]]> {
  const { database } = ctx;
  const cache = caches.get(database) ?? new Map<string, Counted>();
  caches.set(database, cache);
  const counting = countSql({ resource, condition, whole });
  const key = cacheKey(counting);
  const known = cache.get(key);
  if (known === undefined) {
    const [[newest], [counted]] = await database.batch([versionSql(resource), counting]) as [Row[], Row[]];
    const size = remember(cache, key, newest, counted);
    return [size.matching, await database.all<Row>(page(size))];
  }
  const [[newest], rows] = await database.batch([versionSql(resource), page(known)]) as [Row[], Row[]];
  if (known.version === newest?.version && isTracked(resource, key)) return [known.matching, rows];
  const [counted] = await database.all<Row>(counting);
  return [remember(cache, key, newest, counted).matching, rows];
}

/** Counts the matching rows. One statement if the count is cached, otherwise two. */
export async function countRows(
  { ctx, resource, condition, whole }: CountCall,
): Promise<number> {
  const { database } = ctx;
  const cache = caches.get(database) ?? new Map<string, Counted>();
  caches.set(database, cache);
  const counting = countSql({ resource, condition, whole });
  const key = cacheKey(counting);
  const known = isTracked(resource, key) ? cache.get(key) : undefined;
  if (known !== undefined) {
    const [newest] = await database.all<Row>(versionSql(resource));
    if (known.version === newest?.version) return known.matching;
  }
  const [[newest], [counted]] = await database.batch([versionSql(resource), counting]) as [Row[], Row[]];
  return remember(cache, key, newest, counted).matching;
}

/** Whether every change that may affect the count of a statement has a change record. */
function isTracked(resource: Resource, statement: string): boolean {
  return !resource.untracked && !unrecordedColumns().some((column) => statement.includes(`"${column}"`));
}

function versionSql(resource: Resource): SQL {
  return sql`SELECT (SELECT coalesce(max(id), 0) FROM ${object_changes}) AS version,
    (SELECT coalesce(max(id), 0) FROM ${resource.table}) AS largest`;
}

function countSql({ resource, condition, whole }: Omit<CountCall, "ctx">): SQL {
  const { blocks } = resource;
  return whole && blocks !== undefined
    ? wholeCountSql({ ...resource, blocks })
    : sql`SELECT count(*) AS n FROM ${resource.table}${where(condition)}`;
}

function cacheKey(statement: SQL): string {
  const { sql: text, args } = render(statement);
  // Integers are bound as bigint, which JSON does not support.
  return `${text}\n${JSON.stringify(args, (_, value) => typeof value === "bigint" ? Number(value) : value)}`;
}

/** Caches a count; the oldest entry is evicted. */
function remember(cache: Map<string, Counted>, key: string, newest?: Row, counted?: Row): Counted {
  const made = {
    version: newest?.version as number,
    largest: newest?.largest as number,
    matching: counted?.n as number,
  };
  cache.delete(key);
  cache.set(key, made);
  if (cache.size > COUNT_CACHE_ENTRIES) cache.delete(cache.keys().next().value as string);
  return made;
}
