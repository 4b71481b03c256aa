/** Whether the service gets its work done: events are handed on, jobs run. */

import { sql } from "drizzle-orm";
import { type Check, judged } from "./finding.ts";
import { JOBS } from "../jobs/mod.ts";

const MINUTE_MS = 60_000;
/** An event that waits for longer is worth a look: they are handed on within seconds. */
const MAX_EVENT_AGE_MS = 15 * MINUTE_MS;

function minutes(ms: number): string {
  const whole = Math.floor(ms / MINUTE_MS);
  return `${whole} minute${whole === 1 ? "" : "s"}`;
}

/** The oldest event that nobody has dealt with is young. */
export const checkOutbox: Check = async ({ database, now }) => {
  const [open] = await database.all<{ n: number; oldest: number | null }>(
    sql`SELECT count(*) AS n, min(created) AS oldest FROM outbox WHERE state = 'pending'`,
  );
  const { n = 0, oldest } = open ?? {};
  const age = now - (oldest ?? now);
  return judged("outbox", {
    wrong: age > MAX_EVENT_AGE_MS ? [`the oldest event has been waiting for ${minutes(age)}`] : [],
    well: n === 0 ? "No event is waiting" : `Events waiting: ${n}, the oldest for ${minutes(age)}`,
    ill: () => `Events waiting: ${n}, want a running service that hands them on`,
    result: "warning",
  });
};

/** Each job has begun within twice its interval. One that never ran belongs to a service that was never started. */
export const checkJobs: Check = async ({ database, now }) => {
  const rows = await database.all<{ name: string; until: number }>(sql`SELECT name, until FROM leases`);
  const until = new Map(rows.map((row) => [row.name, row.until]));
  const late = JOBS.filter(({ name, intervalMs }) => (until.get(name) ?? now) + intervalMs < now);
  return judged("jobs", {
    wrong: late.map(({ name }) => `${name} is ${minutes(now - (until.get(name) as number))} late`),
    well: "Scheduled jobs are on time",
    ill: () => "Scheduled jobs are late, want a running service",
    result: "warning",
  });
};
