/** Lists and counts objects. */

import type { Identity, Out } from "../model/objects.ts";
import { getTableName, type SQL, sql } from "drizzle-orm";
import {
  authorize,
  type Context,
  filterContext,
  filterSql,
  restrictionSql,
  scanBudgetOf,
  viewRestrictions,
  visibleSql,
} from "../../auth/mod.ts";
import {
  type Condition,
  fieldSql,
  type FilterField,
  filterNamesOf,
  isEverything,
  mapIn,
  resolveRegexes,
  shownId,
  targetMapOf,
  type TextSearch,
  textSearch,
} from "../../filters/mod.ts";
import { AppError } from "../../base/errors.ts";
import { MAX_LONG_TEXT_BYTES } from "../../base/limits.ts";
import { countedPage, countMatching, type ListedRows } from "./count.ts";
import { andAll, idsIn, QueryTimeout, type Row, where } from "../../db/mod.ts";
import type { Resource } from "../model/definition.ts";
import { type ListQuery, parseListQuery } from "./list_query.ts";
import { FEWER_ROWS, fitsBudget, requireBudget } from "./long_texts.ts";
import { idsSql, type PageCall, pageSql, textsOfPage } from "./page.ts";
import { selectList } from "./select.ts";
import { isUnfiltered } from "./set_aside.ts";

/** A page of objects. */
export interface Page<Of = Out> {
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
export async function listObjects<Of extends Identity>(
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
    const names = filterNamesOf(query.filter).filter((name) => name !== resource.listed?.setAside?.filter)
      .join(", ");
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

async function cursorPage<Of extends Identity>(call: PageCall<Of>): Promise<Page<Of>> {
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
  const column = resource.fields[field]?.refers?.foreignKey?.column;
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
  Of extends Identity,
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
export async function readPage<Of extends Identity>(
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

/** Maximum number of groups; those with fewer objects are left out. */
export const MAX_GROUPS = 200;

/** Objects with the same value: an id, a choice, a text, a month (`2027-03`), or null without one. */
export interface Group {
  readonly key: string | number | null;
  readonly count: number;
}

/** Returns by what a field divides a list; undefined for a field with too many values. */
export function groupingOf(field: FilterField | undefined): "object" | "month" | "value" | undefined {
  switch (field?.kind) {
    case "reference":
    case "predicate":
      return field.kind === "reference" || field.object !== undefined ? "object" : undefined;
    case "datetime":
      return "month";
    case "choice":
    case "boolean":
      return "value";
    case "text":
      return field.indexed === undefined ? undefined : "value";
    default:
      return undefined;
  }
}

/** Counts objects by a field, months in order, else the largest first; hidden related ones are null. One statement. Errors: forbidden. */
export async function countGroups(
  { ctx, resource, filter, by }: { ctx: Context; resource: Resource; filter: Condition; by: string },
): Promise<readonly Group[]> {
  const { [by]: field } = mapIn(ctx, resource.map).fields;
  const condition = await listCondition({ ctx, resource, filter });
  const order = groupingOf(field) === "month" ? sql`key` : sql`count DESC, key`;
  return await ctx.database.all<Group>(
    sql`SELECT ${keySql(ctx, field, getTableName(resource.table))} AS key, count(*) AS count
      FROM ${resource.table}${where(condition)} GROUP BY 1 ORDER BY ${order} LIMIT ${MAX_GROUPS}`,
    { long: true, owner: ctx.actor.userId },
  );
}

function keySql(ctx: Context, field: FilterField | undefined, alias: string): SQL {
  const shown = viewRestrictions(ctx);
  if (field?.kind === "predicate" && field.object !== undefined) return field.object({ alias, shown });
  if (field === undefined || !("column" in field)) {
    throw new Error("A list is grouped by a field with a column");
  }
  const value = fieldSql(alias, field, shown);
  const map = targetMapOf(field);
  if (map !== undefined) return shownId(value, { map, alias: `${alias}_grouped`, shown }) ?? value;
  if (field.kind !== "datetime") return value;
  return field.iso === undefined
    ? sql`strftime('%Y-%m', ${value} / 1000, 'unixepoch')`
    : sql`substr(${value}, 1, 7)`;
}
