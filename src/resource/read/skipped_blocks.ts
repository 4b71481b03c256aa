/**
 * Finds the page at a large offset of a whole list in the order of its ids. The rows before it are not
 * scanned, because their number is known for each block of ids.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Resource } from "../model/definition.ts";
import type { ListQuery } from "./list_query.ts";
import { countInBlocks } from "./set_aside.ts";

/** Number of ids in a block, as a power of two (see migration 0002). */
const BLOCK_BITS = 10;
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
  /** Largest id. If it is outdated, more rows are scanned after the last block that is skipped. */
  readonly largest: number;
}

/**
 * Returns the statement of a page's ids. Finds the block in which the page starts by halving: each step
 * counts the next half of the blocks. Together they add up as many numbers as there are blocks. Then only
 * this block is scanned.
 */
export function skippingSql(
  resource: Resource & { blocks: string },
  { from, joined, query, descending, largest }: SkippingCall,
): SQL {
  const bits = sql.raw(String(BLOCK_BITS));
  const direction = descending ? sql` DESC` : sql``;
  // Blocks from `block` on, in the order of the list.
  const counted = (block: SQL, width: SQL): SQL =>
    countInBlocks(resource, {
      bits,
      first: descending ? sql`${block} - ${width} + 1` : block,
      end: descending ? sql`${block} + 1` : sql`${block} + ${width}`,
    });
  const begin = descending
    ? sql`(SELECT coalesce(max(block), 0) FROM ${sql.identifier(resource.blocks)})`
    : sql`0`;
  const all = sql.raw(String(2 ** Math.ceil(Math.log2(largest / 2 ** BLOCK_BITS + 1))));
  // The blocks of a step are skipped if the page does not start in them. The counted tables do not have these
  // names.
  const skipped = sql`(rows_before + rows_within <= ${query.offset})`;
  const next = sql`from_block ${descending ? sql`-` : sql`+`} ${skipped} * blocks`;
  const start = descending
    ? sql`id < (SELECT (from_block + 1) << ${bits} FROM reached)`
    : sql`id >= (SELECT from_block << ${bits} FROM reached)`;
  return sql`WITH RECURSIVE halved (from_block, blocks, rows_within, rows_before) AS (
      SELECT ${begin}, ${all}, ${counted(begin, all)}, 0
      UNION ALL SELECT ${next}, blocks >> 1, ${
    counted(next, sql`(blocks >> 1)`)
  }, rows_before + ${skipped} * rows_within
      FROM halved WHERE blocks > 0
    ), reached AS MATERIALIZED (SELECT from_block, rows_before FROM halved WHERE blocks = 0)
    ${from} ${joined} ${start} ORDER BY id${direction}
    LIMIT ${query.limit} OFFSET ${query.offset} - (SELECT rows_before FROM reached)`;
}
