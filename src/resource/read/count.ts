/** Counts of lists, each cached until the next change: the last id of the change log is the version. */

import { getTableName, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { first } from "../../base/first.ts";
import { dropOldest } from "../../base/memoize.ts";
import { perDatabase, readBatch, type ReadOptions, render, type Row, where } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";
import type { Resource } from "../model/definition.ts";
import { allResources, unrecordedColumns } from "../model/registry.ts";
import { wholeCountSql } from "./set_aside.ts";

/** The rows of a list, as a condition in two forms with the same result. */
export interface ListedRows {
  /** The condition that finds texts with their trigram index; undefined for all rows. */
  readonly condition: SQL | undefined;
  /**
   * The condition that compares each row, which is faster if a text is so common that a page is soon full.
   */
  readonly scanning: SQL | undefined;
  /** Whether `condition` uses a trigram index. */
  readonly searched: boolean;
  /** Whether the list contains all rows of its table except those that are set aside. */
  readonly unfiltered: boolean;
}

/** Maximum number of cached counts. */
const COUNT_CACHE_ENTRIES = 1_000;
/** Number of rows of a table from which counting is a long read: about ten milliseconds. */
const LONG_ROWS = 50_000;
/**
 * Maximum number of rows with a text that are counted by the trigram index. A row that it returns costs as much as
 * comparing a dozen rows, so with more of them, all rows are compared.
 */
const MAX_INDEXED_ROWS = 2_000;

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
  /** Undefined if the count is never current, because not every change has a change record. */
  readonly version: number | undefined;
}

const stateOf = perDatabase(() => ({
  counts: new Map<string, CachedCount>(),
  /** Counts that are being computed. */
  pending: new Map<string, Promise<CachedCount>>(),
}));

/**
 * Reads a page and counts all matching rows. Two statements if the count is cached, otherwise three.
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
  const statements = [versionSql(call.resource), page(known)] as const;
  const [[newest], rows] = await readBatch(database, statements, readOf(call));
  return [(known.version === newest?.version ? known : await countOnce(call, key, newest)).matching, rows];
}

/** Counts the matching rows. One statement if the count is cached, otherwise two. */
export async function countMatching(call: CountCall): Promise<number> {
  const { key, known } = cached(call);
  const [newest] = await call.ctx.database.all<Version>(versionSql(call.resource));
  if (known !== undefined && known.version === newest?.version) return known.matching;
  return (await countOnce(call, key, newest)).matching;
}

function cached(call: CountCall): { key: string; known: CachedCount | undefined } {
  const key = cacheKey(countSql(call));
  return { key, known: stateOf(call.ctx.database).counts.get(key) };
}

/** Counts all matching rows. Calls that arrive in the meantime and have the same version share the count. */
async function countOnce(call: CountCall, key: string, newest?: Version): Promise<CachedCount> {
  const { database } = call.ctx;
  // The version is read first, so that a concurrent change makes the count look older than it is, never newer.
  const { version, largest } = newest ?? first(await database.all<Version>(versionSql(call.resource)));
  const { pending } = stateOf(database);
  const name = `${version} ${key}`;
  const made = pending.get(name) ?? count(call, largest).then((matching) => {
    const result = { version: isTracked(call.resource, key) ? version : undefined, largest, matching };
    remember(call, key, result);
    return result;
  });
  pending.set(name, made);
  try {
    return await made;
  } finally {
    pending.delete(name);
  }
}

/** Returns the options with which the rows of a list are read. */
function readOf({ ctx }: CountCall, long = false): ReadOptions {
  return { long, owner: ctx.actor.userId };
}

async function count(call: CountCall, largest: number): Promise<number> {
  const long = !call.unfiltered && largest >= LONG_ROWS;
  const [row] = await call.ctx.database.all<{ n: number }>(countSql(call), readOf(call, long));
  return row?.n ?? 0;
}

/** Returns whether every change that may affect the count of a statement has a change record. */
function isTracked(resource: Resource, statement: string): boolean {
  return !resource.untracked && !unrecordedColumns().some((column) => statement.includes(`"${column}"`)) &&
    !allResources().some((each) => each.untracked && statement.includes(getTableName(each.table)));
}

/** The id of the last change record, and the largest id of a table. */
type Version = Record<"version" | "largest", number>;

function versionSql(resource: Resource): SQL<Version> {
  return sql<Version>`SELECT (SELECT coalesce(max(id), 0) FROM ${object_changes}) AS version,
    (SELECT coalesce(max(id), 0) FROM ${resource.table}) AS largest`;
}

function countSql({ resource, condition, scanning, searched, unfiltered }: CountCall): SQL {
  const { listed: { blocks, setAside } = {}, table } = resource;
  if (unfiltered && blocks !== undefined) return wholeCountSql(blocks, setAside);
  const all = sql`SELECT count(*) AS n FROM ${table}${where(scanning)}`;
  if (!searched) return all;
  return sql`SELECT CASE WHEN found <= ${MAX_INDEXED_ROWS} THEN found ELSE (${all}) END AS n FROM (
    SELECT count(*) AS found FROM (SELECT 1 FROM ${table}${where(condition)} LIMIT ${MAX_INDEXED_ROWS + 1}))`;
}

function cacheKey(statement: SQL): string {
  const { sql: text, args } = render(statement);
  // Integers are bound as bigint, which JSON does not support.
  return `${text}\n${JSON.stringify(args, (_, value) => typeof value === "bigint" ? Number(value) : value)}`;
}

/** Caches a count. The least recently used one is evicted. */
function remember(call: CountCall, key: string, made: CachedCount): void {
  const { counts } = stateOf(call.ctx.database);
  counts.delete(key);
  counts.set(key, made);
  dropOldest(counts, COUNT_CACHE_ENTRIES);
}
