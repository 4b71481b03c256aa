/** The certificates that a subscription covers: its filter, within what its user may view. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, filterSql, restrictionSql, visible } from "../../auth/mod.ts";
import { idsIn } from "../../db/mod.ts";
import { isEverything, matchesNothing } from "../../filters/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { parseFeedFilter } from "../certificates/calendar/mod.ts";

const { map } = certificates;

/**
 * Returns the condition on the table `certificates`; undefined if no certificate is covered. A stored filter
 * that is no longer valid covers none, because sending everything could disclose too much.
 */
export function coveredSql(ctx: Context, filter: string | null): SQL | undefined {
  const view = visible(ctx, map);
  if (matchesNothing(view)) return undefined;
  const { condition, errors } = parseFeedFilter(ctx, filter ?? "");
  if (Object.keys(errors).length > 0) return undefined;
  const parts = [
    restrictionSql(ctx, view, { map }),
    isEverything(condition) ? undefined : filterSql(ctx, condition, { map }),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? sql`1` : sql.join(parts, sql` AND `);
}

/** Returns which of these certificates are covered. One statement. */
export async function coveredIds(
  ctx: Context,
  { ids, filter }: { ids: readonly number[]; filter: string | null },
): Promise<Set<number>> {
  const covered = ids.length === 0 ? undefined : coveredSql(ctx, filter);
  if (covered === undefined) return new Set();
  const rows = await ctx.database.all<{ id: number }>(
    sql`SELECT certificates.id FROM certificates WHERE certificates.id IN ${idsIn(ids)} AND ${covered}`,
  );
  return new Set(rows.map(({ id }) => id));
}
