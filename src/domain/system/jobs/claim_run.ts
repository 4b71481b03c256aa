/** Whose turn it is: a job runs once in its interval, however many processes share the database. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import type { Database } from "../../../db/mod.ts";
import { leases } from "../../../db/schema/mod.ts";

/**
 * Takes the next run of a job, unless somebody has had it within the interval. One statement. A run that is said to
 * be due later than two intervals from now was taken by a clock that ran far ahead: it does not count. One interval
 * would not do: whoever has looked at his clock a moment earlier, or has a slow one, would run it a second time.
 */
export async function claimRun(
  database: Database,
  { name, owner, now, intervalMs }: { name: string; owner: string; now: Millis; intervalMs: number },
): Promise<boolean> {
  const claimed = await database.write((tx) =>
    tx.all(
      sql`INSERT INTO ${leases} (name, owner, until) VALUES (${name}, ${owner}, ${now + intervalMs})
          ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
          WHERE ${leases}.until <= ${now} OR ${leases}.until > ${now + 2 * intervalMs} RETURNING name`,
    )
  );
  return claimed.length > 0;
}
