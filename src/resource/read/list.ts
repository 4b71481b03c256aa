/** Lists and counts objects. */

import type { AnyObject } from "../model/objects.ts";
import { getTableName, type SQL, sql } from "drizzle-orm";
import {
  authorize,
  type Context,
  filterContext,
  filterSql,
  restrictionSql,
  scanBudgetOf,
  visibleSql,
} from "../../auth/mod.ts";
import {
  type Condition,
  filterNamesOf,
  isEverything,
  mapIn,
  resolveRegexes,
  type TextSearch,
  textSearch,
} from "../../filters/mod.ts";
import { AppError } from "../../base/errors.ts";
import { MAX_LONG_TEXT_BYTES } from "../../base/limits.ts";
import { countedPage, countMatching } from "./count.ts";
import type { ListedRows } from "./listed_rows.ts";
import { andAll, idsIn, QueryTimeout, type Row, where } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import { type ListQuery, parseListQuery } from "./list_query.ts";
import { FEWER_ROWS, fitsBudget, requireBudget } from "./long_texts.ts";
import { idsSql, type PageCall, pageSql, textsOfPage } from "./page.ts";
import { selectList } from "./select.ts";
import { isUnfiltered } from "./set_aside.ts";

/** A page of objects. */
export interface Page<Of = AnyObject> {
  readonly results: Of[];
  /** Number of all matching rows; null with cursor paging. */
  readonly count: number | null;
  /** With cursor paging, the id at which the next page starts; null at the end. */
  readonly nextStart: number | null;
}

/**
 * Lists a page. Two statements, three if the count is not cached. `spent` is the part of the budget for long
 * texts that other lists of the request have used. Errors: forbidden, too_large.
 */
export async function listObjects<Of extends AnyObject>(
  { ctx, resource, query, spent = 0 }: {
    ctx: Context;
    resource: Resource<Of>;
    query: ListQuery;
    spent?: number;
  },
): Promise<Page<Of>> {
  const call: PageCall<Of> = {
    ctx,
    resource,
    query,
    spent,
    ...await rowsOfList({ ctx, resource, filter: query.filter }),
  };
  if (query.start !== undefined) return await cursorPage(call);
  const packed = selectList(resource, query.selection, ctx);
  let ids = sql`SELECT NULL`;
  const [count, rows] = await inTime(
    call,
    countedPage(call, (size) => {
      ids = idsSql(call, size);
      return packed.grouped(pageSql(call, ids), query.limit);
    }),
  );
  if (rows.length === 0 && count > query.offset && await bytesNow(call, ids) > 0) {
    return await listObjects({ ctx, resource, query, spent });
  }
  return { results: packed.read(rows, ctx), count, nextStart: null };
}

/** Counts the objects of a list. Errors: forbidden. At most three statements. */
export async function countObjects(
  { ctx, resource, filter }: { ctx: Context; resource: Resource; filter: Condition },
): Promise<number> {
  const rows = await rowsOfList({ ctx, resource, filter });
  return await inTime({ resource, query: { filter } }, countMatching({ ctx, resource, ...rows }));
}

/** Waits for a read of a list. Errors: unavailable, with the names of the filters, after the time limit. */
async function inTime<T>(
  { resource, query }: { resource: Resource; query: { filter: Condition } },
  read: Promise<T>,
): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof QueryTimeout)) throw error;
    const names = filterNamesOf(query.filter).filter((name) => name !== resource.setAside?.filter).join(", ");
    throw new AppError(
      "unavailable",
      `The list of ${resource.labelPlural} by ${names || "no filter"} took longer than ${error.seconds} s. ` +
        "Use filters that select fewer of them.",
      { cause: error, headers: error.headers },
    );
  }
}

/**
 * Authorizes a list, and returns the condition for rows that are visible and match; undefined for all rows.
 * Errors: forbidden.
 */
export async function listCondition(
  list: { ctx: Context; resource: Resource; filter: Condition },
): Promise<SQL | undefined> {
  return (await rowsOfList(list)).condition;
}

/**
 * Authorizes a list, and returns its condition in both forms, and whether it contains all rows except those
 * that are set aside.
 */
async function rowsOfList(
  { ctx, resource, filter }: { ctx: Context; resource: Resource; filter: Condition },
): Promise<ListedRows> {
  const allowed = authorize(ctx, "view", resource.map);
  const alias = getTableName(resource.table);
  const map = mapIn(ctx, resource.map);
  const resolved = await resolveRegexes(filter, map, {
    ...filterContext(ctx, alias),
    reader: ctx.database,
    budget: scanBudgetOf(ctx),
  });
  const indexed = textSearch(false);
  const compiled = (search: TextSearch): SQL | undefined =>
    andAll(
      restrictionSql(ctx, allowed, { map: resource.map, alias, search }),
      isEverything(resolved) ? undefined : filterSql(ctx, resolved, { map: resource.map, alias, search }),
    );
  const condition = compiled(indexed);
  return {
    condition,
    scanning: indexed.differs ? compiled(textSearch(true)) : condition,
    searched: indexed.indexes.length > 0,
    unfiltered: isEverything(allowed) && isUnfiltered(resource, filter),
  };
}

/**
 * Returns the size of a page's long texts. If they fit now, they have changed since the page was read.
 * Errors: too_large.
 */
async function bytesNow(call: PageCall, ids: SQL): Promise<number> {
  return await requireBudget(call.ctx.database, {
    ...textsOfPage(call, ids),
    advice: FEWER_ROWS,
    spent: call.spent,
  });
}

async function cursorPage<Of extends AnyObject>(call: PageCall<Of>): Promise<Page<Of>> {
  const { ctx, resource, query, condition } = call;
  const packed = selectList(resource, query.selection, ctx);
  const from = sql`${resource.table}.id >= ${query.start}`;
  const order = sql`ORDER BY ${resource.table}.id`;
  const ids = sql`SELECT ${resource.table}.id FROM ${resource.table}${where(condition, from)} ${order}`;
  // The row after the page only shows where the next page starts.
  const pageIds = sql`${ids} LIMIT ${query.limit}`;
  const found = await ctx.database.all<Row>(
    sql`SELECT ${packed.list} FROM ${resource.table}${
      where(condition, from, fitsBudget(textsOfPage(call, pageIds), MAX_LONG_TEXT_BYTES - call.spent))
    } ${order} LIMIT ${query.limit + 1}`,
  );
  if (found.length === 0 && await bytesNow(call, pageIds) > 0) return await cursorPage(call);
  const [beyond] = packed.unpack(found.slice(query.limit));
  return {
    results: packed.read(found.slice(0, query.limit), ctx),
    count: null,
    nextStart: beyond === undefined ? null : beyond.id,
  };
}

/**
 * Returns how many objects of `resource` that the caller may view refer to each of `ids` by `field`, without those to which
 * none refers. One statement.
 */
export async function countByReference(
  { ctx, resource, field, ids }: { ctx: Context; resource: Resource; field: string; ids: readonly number[] },
): Promise<ReadonlyMap<number, number>> {
  const { map, table } = resource;
  const column = resource.fields[field]?.foreignKey?.column;
  if (column === undefined) throw new Error(`No reference "${field}" in ${resource.objectType}`);
  if (ids.length === 0) return new Map();
  const name = sql.identifier(column);
  const rows = await ctx.database.all<{ id: number; count: number }>(
    sql`SELECT ${name} AS id, count(*) AS count FROM ${table}${
      where(sql`${name} IN ${idsIn(ids)}`, visibleSql(ctx, map))
    } GROUP BY ${name}`,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Parameters of a list by name; a list of values is a repeated parameter. */
export type Params = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/** Returns parameters as those of a URL. */
export function searchOf(params: Params): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, given] of Object.entries(params)) {
    for (const value of [given].flat()) search.append(name, String(value));
  }
  return search;
}

/** Reads rows, and their number. Errors: forbidden. */
export async function readRows<
  Of extends AnyObject,
  const Name extends string & keyof Of = string & keyof Of,
>(
  ctx: Context,
  resource: Resource<Of>,
  { params, fields }: { params: Params; fields?: readonly Name[] },
): Promise<{ rows: readonly Pick<Of, Name>[]; count: number }> {
  return await readPage(ctx, resource, {
    params: searchOf(params),
    ...(fields === undefined ? {} : { fields }),
  });
}

/** Reads the page that parameters select. Errors: forbidden, invalid. */
export async function readPage<Of extends AnyObject>(
  ctx: Context,
  resource: Resource<Of>,
  { params, fields }: { params: URLSearchParams; fields?: readonly string[] },
): Promise<{ rows: readonly Of[]; count: number; limit: number; offset: number }> {
  const query = parseListQuery(ctx, { resource, params });
  const { limit, offset } = query;
  const selection = fields === undefined ? query.selection : { ...query.selection, fields };
  const { results, count } = await listObjects({ ctx, resource, query: { ...query, selection } });
  return { rows: results, count: count ?? results.length, limit, offset };
}
