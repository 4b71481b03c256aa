/**
 * Builds the statement of a page. It first selects the ids, from indexes alone if possible, and then reads
 * these rows. The size of the list decides how the ids are found, because SQLite does not know it: SQLite
 * would scan a complete index in the requested order for few matches, or sort a million rows for many.
 */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { MAX_LONG_TEXT_BYTES } from "../../base/limits.ts";
import { where } from "../../db/mod.ts";
import { columnOf, compileOrdering, filterNamesOf, mapIn } from "../../filters/mod.ts";
import type { Listed, Resource } from "../model/definition.ts";
import type { Identity, Out } from "../model/objects.ts";
import type { ListedRows, ListSize } from "./count.ts";
import type { ListQuery } from "./list_query.ts";
import { fitsBudget, longFields, type LongTexts, measuredFields } from "./long_texts.ts";
import { selectList } from "./select.ts";

/** Minimum offset for which blocks are used; below it, scanning the rows is as fast. */
const MIN_SKIPPED_ROWS = 2_048;

/** A page of a whole list. */
interface SkippingCall {
  /** Selects ids, with the condition of the list. */
  readonly from: SQL;
  /** The keyword before another condition. */
  readonly joined: SQL;
  readonly query: ListQuery;
  readonly descending: boolean;
}

/** Returns the statement of a page's ids. Only the blocks up to that in which the page starts are added up. */
function skippingSql(
  { blocks, setAside }: Listed & { readonly blocks: string },
  { from, joined, query, descending }: SkippingCall,
): SQL {
  const direction = sql.raw(descending ? " DESC" : "");
  const aside = setAside === undefined
    ? sql`SELECT NULL AS block, 0 AS n`
    : sql`SELECT ${sql.identifier(setAside.column)} >> 10 AS block, count(*) AS n FROM ${
      sql.identifier(setAside.table)
    } GROUP BY 1`;
  const start = descending
    ? sql`id < (SELECT (block + 1) << 10 FROM reached)`
    : sql`id >= (SELECT block << 10 FROM reached)`;
  return sql`WITH aside AS MATERIALIZED (${aside}), counted AS (
      SELECT listed.block, listed.n - coalesce(aside.n, 0) AS within
      FROM ${sql.identifier(blocks)} AS listed LEFT JOIN aside USING (block)
    ), reached AS MATERIALIZED (
      SELECT block, up_to - within AS before FROM (
        SELECT block, within, sum(within) OVER (ORDER BY block${direction}) AS up_to FROM counted
      ) WHERE up_to > ${query.offset} ORDER BY block${direction} LIMIT 1
    )
    ${from} ${joined} ${start} ORDER BY id${direction}
    LIMIT ${query.limit} OFFSET ${query.offset} - coalesce((SELECT before FROM reached), 0)`;
}

/**
 * Maximum number of rows of a page for which only long texts are measured: a hundred times three names of 64
 * KiB.
 */
const UNMEASURED_ROWS = 100;

/**
 * Number of rows that are compared before the trigram index is used after all: this many times as many as
 * should fill the page, and some more. Rows with a text may be close together, far behind in the order.
 */
const SCAN_FACTOR = 8;
const LEAST_SCAN = 1_000;

/** The arguments of a page. */
export interface PageCall<Of extends Identity = Out> extends ListedRows {
  readonly ctx: Context;
  readonly resource: Resource<Of>;
  readonly query: ListQuery;
  /** Number of bytes of long texts that the request has already read. */
  readonly spent: number;
}

/**
 * Returns the statement of a page with these ids. It returns no row if their long texts exceed the budget.
 */
export function pageSql(call: PageCall, ids: SQL): SQL {
  const { ctx, resource, query } = call;
  const shown = viewRestrictions(ctx);
  const order = compileOrdering(query.order, {
    map: mapIn(ctx, resource.map),
    alias: getTableName(resource.table),
    shown,
  });
  const { list } = selectList(resource, query.selection, ctx);
  const texts = textsOfPage(call, sql`SELECT id FROM page`);
  if (texts.fields.length === 0) {
    return sql`SELECT ${list} FROM ${resource.table} WHERE ${resource.table}.id IN (${ids}) ORDER BY ${order}`;
  }
  return sql`WITH page (id) AS MATERIALIZED (${ids}) SELECT ${list} FROM ${resource.table}${
    where(texts.rows, fitsBudget(texts, MAX_LONG_TEXT_BYTES - call.spent))
  } ORDER BY ${order}`;
}

/** Returns the long texts of a page's rows. */
export function textsOfPage({ resource, query }: PageCall, ids: SQL): LongTexts {
  return {
    resource,
    // Measuring costs a fifth of reading, and the names of few rows are limited anyway.
    fields: (query.limit > UNMEASURED_ROWS ? measuredFields : longFields)(resource, query.selection),
    rows: sql`${resource.table}.id IN (${ids})`,
  };
}

/** Returns the statement of a page's ids. */
export function idsSql(call: PageCall, size: ListSize): SQL {
  const { ctx, resource, query, condition, scanning, searched, unfiltered } = call;
  const { order, limit, offset } = query;
  const alias = getTableName(resource.table);
  const from = sql`SELECT ${resource.table}.id FROM ${resource.table}`;
  const [first] = order;
  const { blocks, ...listed } = resource.listed ?? {};
  if (unfiltered && blocks !== undefined && first?.field === "id" && offset >= MIN_SKIPPED_ROWS) {
    return skippingSql({ ...listed, blocks }, {
      from: sql`${from}${where(condition)}`,
      joined: condition === undefined ? sql`WHERE` : sql`AND`,
      query,
      descending: first.descending,
    });
  }
  const walked = size.matching === 0 ? Infinity : (offset + limit) * size.largest / size.matching;
  const sorted = condition !== undefined && size.matching < walked;
  const shown = viewRestrictions(ctx);
  const ordered = (indexed: boolean): SQL =>
    compileOrdering(order, { map: mapIn(ctx, resource.map), alias, indexed, shown });
  const page = sql`LIMIT ${limit} OFFSET ${offset}`;
  if (!sorted && !unfiltered && !searched) {
    const merged = mergedSql(call, page);
    if (merged !== undefined) return merged;
  }
  const byIndex = sql`${from}${where(condition)} ORDER BY ${ordered(!sorted)} ${page}`;
  if (sorted || scanning === condition) return byIndex;
  const scanned = sql`${from}${where(scanning)} ORDER BY ${ordered(true)} ${page}`;
  const most = SCAN_FACTOR * Math.ceil(walked) + LEAST_SCAN;
  if (!searched || most >= size.largest) return scanned;
  // CROSS JOIN keeps the order of the first table, so that reading ends when the page is full.
  const near = sql`SELECT ${resource.table}.id FROM (
    SELECT ${resource.table}.id AS near_id FROM ${resource.table} ORDER BY ${ordered(true)} LIMIT ${most}
  ) CROSS JOIN ${resource.table} ON ${resource.table}.id = near_id${where(scanning)} ${page}`;
  const isFull = sql`(SELECT count(*) FROM near) = ${limit}`;
  // With LIMIT, because SQLite uses the trigram index before it evaluates a constant condition.
  const rest = sql`LIMIT CASE WHEN ${isFull} THEN 0 ELSE ${limit} END OFFSET ${offset}`;
  const behind = sql`${from}${where(condition)} ORDER BY ${ordered(false)} ${rest}`;
  return sql`WITH near (id) AS MATERIALIZED (${near})
    SELECT id FROM near WHERE ${isFull} UNION ALL SELECT id FROM (${behind})`;
}

/**
 * Returns the ids of a list that selects several values of the field by which indexes are divided, as merged lists of one
 * value each, which end when the page is full: SQLite would find and sort all of them. Undefined for other lists.
 */
function mergedSql({ ctx, resource, query, condition }: PageCall, page: SQL): SQL | undefined {
  const { listed: { divided } = {}, table } = resource;
  const [first, second, ...others] = query.order;
  if (divided === undefined || first === undefined || second?.field !== "id" || others.length > 0) {
    return undefined;
  }
  if (second.descending !== first.descending || !divided.orders.includes(first.field)) return undefined;
  if (!filterNamesOf(query.filter).some((name) => divided.filters.includes(name))) return undefined;
  const alias = getTableName(table);
  const column = compileOrdering([{ ...first, descending: false }], { map: mapIn(ctx, resource.map), alias });
  const lists = divided.values.map((value) =>
    sql`SELECT ${table}.id AS id, ${column} AS place FROM ${table}${
      where(sql`${columnOf(alias, divided.field)} = ${sql.raw(`'${value}'`)}`, condition)
    }`
  );
  const direction = sql.raw(first.descending ? " DESC" : "");
  return sql`SELECT id FROM (${
    sql.join(lists, sql` UNION ALL `)
  } ORDER BY place${direction}, id${direction} ${page})`;
}
