/** The default condition of lists whose resource has rows that are set aside. */

import { type SQL, sql } from "drizzle-orm";
import { and, type Condition, isEverything } from "../../filters/mod.ts";
import type { Resource, SetAside } from "../model/definition.ts";

/**
 * Adds the default condition to a filter, unless one of the filters decides about these rows.
 * @param names Names of filters or parameters, or the members of a filter object.
 */
export function withoutSetAside(
  { listed: { setAside } = {} }: Pick<Resource, "listed">,
  filter: Condition,
  names: Iterable<string>,
): Condition {
  if (setAside === undefined) return filter;
  for (const name of names) {
    if (name === setAside.filter || name.startsWith(`${setAside.filter}__`)) return filter;
  }
  return and(filter, setAside.condition);
}

/** Returns whether a filter selects all rows except those that are set aside. */
export function isUnfiltered(
  { listed: { setAside } = {} }: Pick<Resource, "listed">,
  filter: Condition,
): boolean {
  return setAside === undefined ? isEverything(filter) : filter === setAside.condition;
}

/** Returns the number of rows of a whole list, from the counts of its blocks. */
export function wholeCountSql(blocks: string, setAside: SetAside | undefined): SQL {
  const all = sql`SELECT coalesce(sum(n), 0) FROM ${sql.identifier(blocks)}`;
  const aside = setAside === undefined
    ? sql``
    : sql` - (SELECT count(*) FROM ${sql.identifier(setAside.table)})`;
  return sql`SELECT (${all})${aside} AS n`;
}
