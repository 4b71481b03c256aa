/** How near a certificate is to its end: the derived fields and the filters that agree with them. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { DAY_MS, daysUntil, type Millis, startOfDay } from "../../base/clock.ts";
import type { FilterField, PredicateContext } from "../../filters/mod.ts";
import { columnOf, derived, type Field } from "../../resource/mod.ts";

/** How near: past, within the critical days (the last day too), within the warning days, or far. */
export const EXPIRY_STATUSES = ["expired", "critical", "warning", "ok"] as const;
export type ExpiryStatus = typeof EXPIRY_STATUSES[number];

interface Thresholds {
  readonly criticalDays: number;
  readonly warningDays: number;
}

/** Certificates end at whole seconds; a second's grain lets equal questions share an answer. */
function wholeSecond(now: Millis): Millis {
  return Math.floor(now / 1000) * 1000;
}

/** Whether the validity is over (RFC 5280 §4.1.2.5: notAfter itself is still inside). */
export function isExpired(validTo: Millis, now: Millis): boolean {
  return validTo < wholeSecond(now);
}

/** What a condition on the expiry knows. */
export type ExpiryContext = Omit<PredicateContext, "shown">;

/** The status of a certificate that is valid until `validTo`. */
function expiryStatus(validTo: Millis, now: Millis, thresholds: Thresholds): ExpiryStatus {
  if (isExpired(validTo, now)) return "expired";
  const days = daysUntil(validTo, now);
  return days <= thresholds.criticalDays ? "critical" : days <= thresholds.warningDays ? "warning" : "ok";
}

/** First moment that is more than `days` calendar days away. */
function beyond(days: number, now: Millis): Millis {
  return startOfDay(now) + (days + 1) * DAY_MS;
}

/** The rows of a status, by the same limits. */
export function expiryStatusSql(status: ExpiryStatus, { alias, now, thresholds }: ExpiryContext): SQL {
  const validTo = columnOf(alias, "valid_to");
  const past = wholeSecond(now);
  const critical = beyond(thresholds.criticalDays, now);
  const warning = beyond(thresholds.warningDays, now);
  switch (status) {
    case "expired":
      return sql`${validTo} < ${past}`;
    case "critical":
      return sql`(${validTo} >= ${past} AND ${validTo} < ${critical})`;
    case "warning":
      return sql`(${validTo} >= ${Math.max(past, critical)} AND ${validTo} < ${warning})`;
    case "ok":
      return sql`${validTo} >= ${Math.max(past, warning)}`;
  }
}

function expiringSoonSql(value: boolean, { alias, now, thresholds }: ExpiryContext): SQL {
  const validTo = columnOf(alias, "valid_to");
  const [past, warning] = [wholeSecond(now), beyond(thresholds.warningDays, now)];
  return value
    ? sql`(${validTo} >= ${past} AND ${validTo} < ${warning})`
    : sql`(${validTo} < ${past} OR ${validTo} >= ${warning})`;
}

/** Filters on expiry. */
export const expiryFilters: Record<string, FilterField> = {
  expired: {
    kind: "predicate",
    type: "boolean",
    condition: (value, context) => {
      const validTo = columnOf(context.alias, "valid_to");
      const past = wholeSecond(context.now);
      return value ? sql`${validTo} < ${past}` : sql`${validTo} >= ${past}`;
    },
  },
  expiring_soon: {
    kind: "predicate",
    type: "boolean",
    condition: (value, context) => expiringSoonSql(value as boolean, context),
  },
  expiry_status: {
    kind: "predicate",
    type: "choice",
    choices: EXPIRY_STATUSES,
    condition: (value, context) => expiryStatusSql(value as ExpiryStatus, context),
  },
};

/** Fields on expiry; all read `valid_to`, the clock and the thresholds. */
export function expiryFields(): Field[] {
  const needs = ["valid_to"];
  return [
    derived("days_remaining", {
      description: "Calendar days (UTC) from today to the end; negative once past.",
      output: z.int(),
      needs,
      read: (row, ctx) => daysUntil(row.valid_to as number, ctx.clock.now()),
    }),
    derived("is_expired", {
      description: "Whether the validity is over.",
      output: z.boolean(),
      needs,
      read: (row, ctx) => isExpired(row.valid_to as number, ctx.clock.now()),
    }),
    derived("is_expiring_soon", {
      description: "Whether it ends within the warning days and has not ended.",
      output: z.boolean(),
      needs,
      read: (row, ctx) =>
        ["critical", "warning"].includes(expiryStatus(row.valid_to as number, ctx.clock.now(), ctx.settings)),
    }),
    derived("expiry_status", {
      description: "How near the end is.",
      output: z.enum(EXPIRY_STATUSES),
      needs,
      read: (row, ctx) => expiryStatus(row.valid_to as number, ctx.clock.now(), ctx.settings),
    }),
  ];
}
