/**
 * Statements of the overview. `seen` is the condition for certificates that the caller may view, `used` that for those of
 * them in use.
 */

// deno-lint-ignore-file explicit-function-return-type -- the types of the rows follow from the statements

import { and, count, gte, lt, type SQL, sql } from "drizzle-orm";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { select, where } from "../../../db/mod.ts";
import { certificates } from "../../../db/schema/mod.ts";
import type { ViewRestriction } from "../../../filters/mod.ts";
import {
  assignedOrServedSql,
  EXPIRY_STATUSES,
  type ExpiryContext,
  type ExpiryStatus,
  expiryStatusSql,
  overdueSql,
  unarchived,
} from "../../certificates/mod.ts";

const WEEK_MS = 7 * DAY_MS;
const LISTED = unarchived("certificates");

/** Returns `status`, `n`. */
export function statusesSql(seen: SQL | undefined) {
  const { status } = certificates;
  return select({ status, n: count() }).from(certificates).where(and(LISTED, seen)).groupBy(status);
}

/**
 * Returns one row: `overdue`, and how many of these are assigned or served (`used`). The range of expired certificates is
 * small.
 */
export function overdueCountsSql(
  seen: SQL | undefined,
  { now, shown }: { now: Millis; shown: ViewRestriction },
) {
  const used = sql<number>`count(*) FILTER (WHERE ${assignedOrServedSql("certificates", shown)})`;
  return select({ overdue: count(), used }).from(certificates)
    .where(and(overdueSql(true, { alias: "certificates", now }), LISTED, seen));
}

/** Returns one row with a count per expiry status. */
export function expirySql(used: SQL | undefined, context: ExpiryContext) {
  const counts = EXPIRY_STATUSES.map((status) =>
    [status, sql<number>`count(*) FILTER (WHERE ${expiryStatusSql(status, context)})`] as const
  );
  return select(Object.fromEntries(counts) as Record<ExpiryStatus, SQL<number>>)
    .from(certificates).where(used);
}

/** Returns `month` (`2026-11`), `n` of certificates that have not expired. */
export function forecastSql(used: SQL | undefined, now: Millis) {
  const { valid_to } = certificates;
  const month = sql<string>`strftime('%Y-%m', ${valid_to} / 1000, 'unixepoch')`;
  return select({ month, n: count() }).from(certificates)
    .where(and(used, gte(valid_to, now))).groupBy(sql`month`);
}

/**
 * Returns `week` (0 begins today), `part` (the id in `column`, or null) and `n` of certificates that have not
 * expired.
 */
export function weeksSql(
  used: SQL | undefined,
  { now, weeks, column }: { now: Millis; weeks: number; column: "tenant_id" | "issuing_ca_id" },
) {
  const { valid_to } = certificates;
  const start = startOfDay(now);
  const week = sql<number>`(${valid_to} - ${start}) / ${WEEK_MS}`;
  return select({ week, part: certificates[column], n: count() }).from(certificates)
    .where(and(used, gte(valid_to, now), lt(valid_to, start + weeks * WEEK_MS)))
    .groupBy(sql`week`, sql`part`);
}

/** Returns the first days of weeks (`2026-11-20`), beginning today. */
export function weeksFrom(now: Millis, count: number): string[] {
  return Array.from(
    { length: count },
    (_, week) => new Date(startOfDay(now) + week * WEEK_MS).toISOString().slice(0, 10),
  );
}

function startOfDay(now: Millis): Millis {
  return now - now % DAY_MS;
}

/** Returns names of months (`2026-11`), beginning with that of `now`. */
export function monthsFrom(now: Millis, count: number): string[] {
  const first = new Date(now);
  return Array.from({ length: count }, (_, index) => {
    const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1));
    return month.toISOString().slice(0, 7);
  });
}

/** Returns `algorithm`, `key_size`, `n`. */
export function algorithmsSql(used: SQL | undefined) {
  const { algorithm, key_size } = certificates;
  return select({ algorithm, key_size, n: count() }).from(certificates)
    .where(used).groupBy(algorithm, key_size);
}

/** Returns `issuing_ca_id`, `n`. */
export function authoritiesSql(used: SQL | undefined) {
  const { issuing_ca_id } = certificates;
  return select({ issuing_ca_id, n: count() }).from(certificates)
    .where(used).groupBy(issuing_ca_id);
}

/** Returns one row: the number of certificates in use, and of those without assignment, leaving out authorities. */
export function usedSql(used: SQL | undefined, assignmentsSeen: SQL | undefined) {
  const assigned = sql`certificates.id IN (SELECT certificate_id FROM certificate_assignments${
    where(assignmentsSeen)
  })`;
  const unassigned = sql<number>`count(*) FILTER (WHERE ${certificates.kind} <> 'ca' AND NOT ${assigned})`;
  return select({ n: count(), unassigned }).from(certificates).where(used);
}
