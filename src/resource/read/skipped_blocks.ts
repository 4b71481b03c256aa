/**
 * Finds the page at a large offset of a whole list in the order of its ids. The rows before it are not
 * scanned, because their number is known for each block of ids.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Resource } from "../model/definition.ts";
import type { ListQuery } from "./list_query.ts";

/** Minimum offset for which blocks are used; below it, scanning the rows is as fast. */
export const MIN_SKIPPED_ROWS = 2_048;

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
export function skippingSql(
  { blocks, setAside }: Pick<Resource, "setAside"> & { readonly blocks: string },
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
