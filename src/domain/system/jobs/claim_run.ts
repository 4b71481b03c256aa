/** Claims runs of jobs: a job runs once per interval, however many processes share the database. */

import { sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import type { Database } from "../../../db/mod.ts";
import { leases } from "../../../db/schema/mod.ts";

/**
 * Claims the next run of a job, unless another process claimed one within the interval. One statement. A claim that
 * lasts longer than two intervals from now was made by a clock far ahead, and is ignored. With one interval, a process
 * with a slightly slow clock would run the job a second time.
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
