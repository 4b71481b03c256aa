/** Expiries of the next weeks by tenant and by authority. */

import type { Context } from "../../../auth/mod.ts";
import { loadBriefs, type Resource } from "../../../resource/mod.ts";
import type { Share } from "./overview.ts";

/** Number of tenants or authorities with a separate part; the others are counted together. */
const PARTS = 5;

/** The count of a week for a tenant or authority, or for none (null). */
export interface WeekCount {
  readonly week: number;
  readonly part: number | null;
  readonly n: number;
}

/** Parts over all weeks, most frequent first, and their counts in each week. */
export interface DividedWeeks {
  readonly parts: readonly Share[];
  /** By week, then by part. */
  readonly counts: readonly (readonly number[])[];
}

/**
 * Divides counts by the objects that the caller may view. Hidden ones count as none. `name` is the name of
 * the filter, `none` the label of certificates without an object.
 */
export async function divideWeeks(
  ctx: Context,
  given: readonly WeekCount[],
  { resource, weeks, name, none }: { resource: Resource; weeks: number; name: string; none: string },
): Promise<DividedWeeks> {
  const briefs = await loadBriefs(ctx, resource, given.map(({ part }) => part));
  const rows = given.map((row) => row.part !== null && briefs.has(row.part) ? row : { ...row, part: null });
  const sums = new Map<number, number>();
  for (const { part, n } of rows) {
    if (part !== null) sums.set(part, (sums.get(part) ?? 0) + n);
  }
  // A single further part is named, too, because "Other" would take the same space.
  const all = sums.size === PARTS + 1 && rows.every(({ part }) => part !== null);
  const top = [...sums].sort(([a, n], [b, m]) => m - n || a - b).slice(0, all ? PARTS + 1 : PARTS);
  const rest = rows.filter(({ part }) => !top.some(([id]) => id === part));
  const parts: Share[] = top.map(([id, count]) => ({
    label: String(briefs.get(id)?.display),
    count,
    query: `${name}=${id}`,
  }));
  if (rest.length > 0) {
    parts.push({
      label: rest.every(({ part }) => part === null) ? none : "Other",
      count: rest.reduce((sum, { n }) => sum + n, 0),
      query: top.map(([id]) => `${name}__n=${id}`).join("&"),
    });
  }
  const counts = Array.from({ length: weeks }, (_, week) => {
    const of = (some: readonly WeekCount[]): number =>
      some.reduce((sum, one) => sum + (one.week === week ? one.n : 0), 0);
    return [
      ...top.map(([id]) => of(rows.filter(({ part }) => part === id))),
      ...(rest.length > 0 ? [of(rest)] : []),
    ];
  });
  return { parts, counts };
}
