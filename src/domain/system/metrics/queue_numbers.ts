/** Counts waiting events and deliveries, and reads when jobs last ran. */

import { count, inArray, min, sql, type SQLWrapper } from "drizzle-orm";
import type { Millis } from "../../../base/clock.ts";
import { type Row, select } from "../../../db/mod.ts";
import { leases, outbox, webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { JOBS } from "../jobs/mod.ts";
import { DELIVERY_STATES } from "../../webhooks/deliveries/mod.ts";
import type { Counts } from "./certificate_numbers.ts";

export interface QueueNumbers {
  /** Number of events that are not dispatched yet. */
  readonly outbox: number;
  /** Age of the oldest of these events in milliseconds; 0 if there is none. */
  readonly outboxAge: Millis;
  /** Number of deliveries in the log, by state. */
  readonly deliveries: Counts;
  /**
   * How long the oldest due delivery has been due, in milliseconds; 0 if there is none. Deliveries of disabled
   * webhooks are not due.
   */
  readonly overdue: Millis;
  /** Last start of each job, by name; jobs that never ran are absent. */
  readonly jobs: Readonly<Record<string, Millis>>;
}

const NONE: Counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0]));

/** Returns four statements, each of which uses an index. */
export function queueCountsSql(): SQLWrapper[] {
  return [
    // A literal, because SQLite does not use the partial index for a bound value.
    select({ n: count(), oldest: min(outbox.created) }).from(outbox).where(sql`${outbox.state} = 'pending'`),
    select({ state: webhook_deliveries.state, n: count() }).from(webhook_deliveries)
      .groupBy(webhook_deliveries.state),
    sql`SELECT min((SELECT min(next_attempt) FROM ${webhook_deliveries} INDEXED BY webhook_deliveries_due
        WHERE webhook_id = ${webhooks}.id AND next_attempt IS NOT NULL)) AS due
      FROM ${webhooks} WHERE enabled = 1`,
    select({ name: leases.name, until: leases.until }).from(leases)
      .where(inArray(leases.name, JOBS.map(({ name }) => name))),
  ];
}

/** Converts the rows of {@link queueCountsSql}, in their order. */
export function queueNumbers(answers: readonly (readonly Row[])[], now: Millis): QueueNumbers {
  const [[open] = [], states = [], [next] = [], runs = []] = answers;
  const intervals = new Map(JOBS.map(({ name, intervalMs }) => [name, intervalMs]));
  return {
    outbox: open?.n as number,
    outboxAge: Math.max(0, now - ((open?.oldest as number | null) ?? now)),
    deliveries: { ...NONE, ...Object.fromEntries(states.map((row) => [row.state, row.n as number])) },
    overdue: Math.max(0, now - ((next?.due as number | null) ?? now)),
    // A run is claimed until the next one is due.
    jobs: Object.fromEntries(
      runs.map((row) => [row.name, (row.until as number) - (intervals.get(row.name as string) as number)]),
    ),
  };
}
