/**
 * Finds the page at a large offset of a whole list that is ordered by several fields. No index has such an
 * order, so SQLite would read and sort all rows up to the page. An index of the first field provides its
 * value at the offset, and the number of rows before that value. Only the rows from there to the end of the
 * page are sorted.
 */

import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { where } from "../../db/mod.ts";
import { columnOf, type FieldMap } from "../../filters/mod.ts";
import type { Resource } from "../model/definition.ts";
import type { ListQuery } from "./list_query.ts";

/** Minimum offset for which this is faster. */
const MIN_OFFSET = 2_048;

/**
 * Returns the column of the first field if only few rows share a value and none is null; otherwise undefined.
 */
export function firstColumn(
  { table }: Pick<Resource, "table">,
  { map, query: { order, offset } }: { map: FieldMap; query: ListQuery },
): SQL | undefined {
  const [first, second] = order;
  const field = map.fields[first?.field ?? ""];
  if (offset < MIN_OFFSET || second === undefined || second.field === "id") return undefined;
  if (field?.kind !== "datetime" && field?.kind !== "text" && field?.kind !== "hex") return undefined;
  if (field.member !== undefined || getTableColumns(table)[field.column]?.notNull !== true) return undefined;
  return columnOf(getTableName(table), field.column);
}

/** Returns the statement of a page's ids. */
export function fromFirstKeySql(
  { table }: Pick<Resource, "table">,
  { column, condition, ordered, query: { order, limit, offset } }: {
    readonly column: SQL;
    readonly condition: SQL | undefined;
    readonly ordered: SQL;
    readonly query: ListQuery;
  },
): SQL {
  const descending = order[0]?.descending === true;
  const [from, before, direction] = descending ? [sql`<=`, sql`>`, sql` DESC`] : [sql`>=`, sql`<`, sql``];
  const reached = sql`(SELECT value FROM reached)`;
  const skipped = sql`SELECT count(*) FROM ${table}${where(condition, sql`${column} ${before} ${reached}`)}`;
  return sql`WITH reached (value) AS MATERIALIZED (
      SELECT ${column} FROM ${table}${
    where(condition)
  } ORDER BY ${column}${direction} LIMIT 1 OFFSET ${offset})
    SELECT ${table}.id FROM ${table}${where(condition, sql`${column} ${from} ${reached}`)}
    ORDER BY ${ordered} LIMIT ${limit} OFFSET ${offset} - (${skipped})`;
}
