/** Checks whether the service processes events and jobs. */

import { counted } from "../../../base/amounts.ts";
import { MINUTE_MS } from "../../../base/clock.ts";
import { count, eq, min } from "drizzle-orm";
import { select } from "../../../db/mod.ts";
import { leases, outbox } from "../../../db/schema/mod.ts";
import { type Check, toCheckResult } from "./check_result.ts";
import { JOBS } from "../jobs/mod.ts";

/** Maximum age of an event without a warning. Normally events are processed within seconds. */
const MAX_EVENT_AGE_MS = 15 * MINUTE_MS;

function minutes(ms: number): string {
  return counted(Math.floor(ms / MINUTE_MS), "minute");
}

/** Checks the age of the oldest pending event. */
export const checkOutbox: Check = async ({ database, now }) => {
  const [open] = await database.all(
    select({ n: count().as("n"), oldest: min(outbox.created).as("oldest") }).from(outbox)
      .where(eq(outbox.state, "pending")),
  );
  const { n = 0, oldest } = open ?? {};
  const age = now - (oldest ?? now);
  return toCheckResult("outbox", {
    wrong: age > MAX_EVENT_AGE_MS ? [`the oldest event has been waiting for ${minutes(age)}`] : [],
    ok: n === 0 ? "No event is waiting" : `Events waiting: ${n}, the oldest for ${minutes(age)}`,
    problem: () => `Events waiting too long: ${n}. Check that the service is running`,
    result: "warning",
  });
};

/** Checks that each job started within twice its interval. Jobs that never ran are not late. */
export const checkJobs: Check = async ({ database, now }) => {
  const rows = await database.all(
    select({ name: leases.name, until: leases.until }).from(leases),
  );
  const until = new Map(rows.map((row) => [row.name, row.until]));
  const late = JOBS.flatMap(({ name, intervalMs }) => {
    const lateMs = now - (until.get(name) ?? now);
    return lateMs > intervalMs ? [`${name} is ${minutes(lateMs)} late`] : [];
  });
  return toCheckResult("jobs", {
    wrong: late,
    ok: "Scheduled jobs are on time",
    problem: () => "Scheduled jobs are late. Check that the service is running",
    result: "warning",
  });
};
