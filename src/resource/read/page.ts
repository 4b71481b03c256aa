/**
 * Builds the statement of a page: it selects the ids first, from indexes alone if possible, and then reads those rows.
 * The size of the list decides how the ids are found, because SQLite does not know it: SQLite would scan a complete
 * index in the requested order for few matches, or sort a million rows for many.
 */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { BLOCK_BITS, MIN_SKIPPED_ROWS } from "../../base/limits.ts";
import { compileOrdering } from "../../filters/mod.ts";
import type { ListSize } from "./count.ts";
import type { Resource } from "../model/definition.ts";
import { fieldMap } from "../model/field_map.ts";
import type { ListQuery } from "./list_query.ts";
import { fitsBudget, longFields, type LongTexts } from "./long_texts.ts";
import { selectList } from "./select.ts";
import { where } from "./where.ts";

/** The arguments of a page. */
export interface PageCall {
  readonly ctx: Context;
  readonly resource: Resource;
  readonly query: ListQuery;
  /** Condition of the list's rows; undefined for all. */
  readonly condition: SQL | undefined;
}

/** Returns the statement of a page of the rows with these ids; it reads no row if their long texts exceed the budget. */
export function pageSql(call: PageCall, ids: SQL): SQL {
  const { ctx, resource, query } = call;
  const shown = viewRestrictions(ctx);
  const order = compileOrdering(query.order, fieldMap(resource), getTableName(resource.table), { shown });
  const { list } = selectList(resource, query.selection, ctx);
  const texts = textsOfPage(call, sql`SELECT id FROM page`);
  if (texts.fields.length === 0) {
    return sql`SELECT ${list} FROM ${resource.table} WHERE ${resource.table}.id IN (${ids}) ORDER BY ${order}`;
  }
  return sql`WITH page (id) AS MATERIALIZED (${ids}) SELECT ${list} FROM ${resource.table}${
    where(texts.rows, fitsBudget(texts))
  } ORDER BY ${order}`;
}

/** Returns the long texts of a page's rows. */
export function textsOfPage({ resource, query }: PageCall, ids: SQL): LongTexts {
  return {
    resource,
    fields: longFields(resource, query.selection),
    rows: sql`${resource.table}.id IN (${ids})`,
  };
}

/** Returns the statement of a page's ids. */
export function idsSql({ ctx, resource, query, condition }: PageCall, size: ListSize): SQL {
  const { order, limit, offset } = query;
  const alias = getTableName(resource.table);
  const from = sql`SELECT ${resource.table}.id FROM ${resource.table}`;
  const [first] = order;
  if (
    condition === undefined && resource.blocks !== undefined && first?.field === "id" &&
    offset >= MIN_SKIPPED_ROWS
  ) {
    return skippingSql(resource.blocks, { from, query, descending: first.descending });
  }
  const walked = size.matching === 0 ? Infinity : (offset + limit) * size.largest / size.matching;
  const sorted = condition !== undefined && size.matching < walked;
  const terms = compileOrdering(order, fieldMap(resource), alias, {
    indexed: !sorted,
    shown: viewRestrictions(ctx),
  });
  return sql`${from}${where(condition)} ORDER BY ${terms} LIMIT ${limit} OFFSET ${offset}`;
}

/** Skips complete blocks of ids by their counts and scans only the last one. */
function skippingSql(
  blocks: string,
  { from, query, descending }: { from: SQL; query: ListQuery; descending: boolean },
): SQL {
  const direction = descending ? sql` DESC` : sql``;
  const counted = sql`SELECT block, sum(n) OVER (ORDER BY block${direction}) - n AS before FROM ${
    sql.identifier(blocks)
  }`;
  const reached = sql`FROM (${counted}) WHERE before <= ${query.offset} ORDER BY before DESC LIMIT 1`;
  const bits = sql.raw(String(BLOCK_BITS));
  const start = descending
    ? sql`id < (SELECT (block + 1) << ${bits} ${reached})`
    : sql`id >= (SELECT block << ${bits} ${reached})`;
  return sql`${from} WHERE ${start} ORDER BY id${direction} LIMIT ${query.limit} OFFSET ${query.offset} - (SELECT before ${reached})`;
}
