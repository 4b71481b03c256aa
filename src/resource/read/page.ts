/**
 * The statement of a page: first the ids of its rows, from indexes alone where possible, then those rows whole. How
 * the ids are found is chosen by what is known of the list, because SQLite cannot know: it would walk a whole index
 * in the order asked for, in the hope of a match, where there are few; or sort a million rows where there are many.
 */

import { getTableName, type SQL, sql } from "drizzle-orm";
import { type Context, viewRestrictions } from "../../auth/mod.ts";
import { BLOCK_BITS, MIN_SKIPPED_ROWS } from "../../base/limits.ts";
import { compileOrdering } from "../../filters/mod.ts";
import type { ListSize } from "./count.ts";
import type { Resource } from "../model/definition.ts";
import { fieldMap } from "../model/field_map.ts";
import type { ListQuery } from "./list_query.ts";
import { selectList } from "./select.ts";
import { where } from "./where.ts";

/** What a page is made from. */
export interface PageCall {
  readonly ctx: Context;
  readonly resource: Resource;
  readonly query: ListQuery;
  /** What its rows must fulfil; undefined for all. */
  readonly condition: SQL | undefined;
}

/** The statement of a page. */
export function pageSql(call: PageCall, size: ListSize): SQL {
  const { ctx, resource, query } = call;
  const shown = viewRestrictions(ctx);
  const order = compileOrdering(query.order, fieldMap(resource), getTableName(resource.table), { shown });
  const { list } = selectList(resource, query.selection, ctx);
  return sql`SELECT ${list} FROM ${resource.table} WHERE ${resource.table}.id IN (${
    idsSql(call, size)
  }) ORDER BY ${order}`;
}

function idsSql({ ctx, resource, query, condition }: PageCall, size: ListSize): SQL {
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

/** Passes over whole blocks of ids by their counts, and walks within the last one only. */
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
