/** Cuts certificates into windows by their expiry, so that no statement reads many of them at once. */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import type { Database, Row } from "../../db/mod.ts";

/** Certificates of a window: a few milliseconds. */
const WINDOW_SIZE = 500;

/** Expiries from `from` on and before `to`. */
export interface ExpiryWindow {
  readonly from: Millis;
  readonly to: Millis;
}

/** Returns the window that begins at an expiry and ends before `end`. */
export type ExpiryWindows = (from: Millis, end: Millis) => Promise<ExpiryWindow>;

/**
 * Returns the windows of one run over `FROM … WHERE …`, in which an index on `valid_to` is used. Each is searched for
 * once and shared by all subscriptions. Certificates with the same expiry are in the same window.
 */
export function expiryWindows(database: Database, candidates: SQL): ExpiryWindows {
  const ends = new Map<Millis, Millis>();
  return async (from, end) => {
    const known = ends.get(from);
    if (known !== undefined) return { from, to: Math.min(known, end) };
    const [row] = await database.all<Row>(
      sql`SELECT certificates.valid_to ${candidates} AND certificates.valid_to >= ${from}
        AND certificates.valid_to < ${end} ORDER BY certificates.valid_to LIMIT 1 OFFSET ${WINDOW_SIZE}`,
    );
    const next = row === undefined ? end : Math.max(row.valid_to as number, from + 1);
    ends.set(from, next);
    return { from, to: Math.min(next, end) };
  };
}
