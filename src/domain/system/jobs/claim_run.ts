/** Claims runs of jobs: a job runs once per interval, however many processes share the database. */

import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { type Database, deleteFrom, insertInto } from "../../../db/mod.ts";
import { leases } from "../../../db/schema/mod.ts";

/**
 * Claims the next run of a job, unless another process claimed one within the interval. One statement.
 * Ignores a claim that ends more than two intervals from now, because a clock far ahead made it. With a limit
 * of one interval, a process with a slightly slow clock would run the job a second time.
 */
export async function claimRun(
  database: Database,
  { name, owner, now, intervalMs }: { name: string; owner: string; now: Millis; intervalMs: number },
): Promise<boolean> {
  const claim = { owner, until: now + intervalMs };
  const claimed = await database.write((tx) =>
    tx.all(
      insertInto(leases).values({ name, ...claim }).onConflictDoUpdate({
        target: leases.name,
        set: claim,
        setWhere: sql`${lte(leases.until, now)} OR ${gt(leases.until, now + 2 * intervalMs)}`,
      }).returning({ name: leases.name }),
    )
  );
  return claimed.length > 0;
}

/** Releases the run that the owner claimed last, so that the job runs again before its interval ends. */
export async function releaseRun(
  database: Database,
  { name, owner }: { name: string; owner: string },
): Promise<void> {
  await database.write((tx) =>
    tx.run(deleteFrom(leases).where(and(eq(leases.name, name), eq(leases.owner, owner))))
  );
}
