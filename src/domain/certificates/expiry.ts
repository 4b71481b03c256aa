/** Derived fields about the expiry, and filters that are consistent with them. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { DAY_MS, daysUntil, type Millis, startOfDay } from "../../base/clock.ts";
import type { Context } from "../../auth/mod.ts";
import type { FilterField, PredicateContext } from "../../filters/mod.ts";
import { columnOf, derived } from "../../resource/mod.ts";
import type { CertificateRow } from "./resource.ts";

/** Expired, within the critical days (inclusive), within the warning days (inclusive), or later. */
export const EXPIRY_STATUSES = ["expired", "critical", "warning", "ok"] as const;
export type ExpiryStatus = typeof EXPIRY_STATUSES[number];

interface Thresholds {
  readonly criticalDays: number;
  readonly warningDays: number;
}

/**
 * Rounds down to seconds, because `valid_to` has whole seconds, and equal conditions share a cached count.
 */
function wholeSecond(now: Millis): Millis {
  return Math.floor(now / 1000) * 1000;
}

/** Returns whether the certificate has expired. It is still valid at `notAfter` itself (RFC 5280 §4.1.2.5). */
export function isExpired(validTo: Millis, now: Millis): boolean {
  return validTo < wholeSecond(now);
}

/** Inputs of a condition on the expiry. */
export type ExpiryContext = Pick<PredicateContext, "alias" | "now" | "thresholds">;

/** Returns the status of a certificate that is valid until `validTo`. */
export function expiryStatus(validTo: Millis, now: Millis, thresholds: Thresholds): ExpiryStatus {
  if (isExpired(validTo, now)) return "expired";
  const days = daysUntil(validTo, now);
  return days <= thresholds.criticalDays ? "critical" : days <= thresholds.warningDays ? "warning" : "ok";
}

/** The expiry of an object, as certificates have it. */
export interface OwnExpiry {
  readonly valid_to: string;
  readonly expiry_status: ExpiryStatus;
  readonly days_remaining: number;
}

/** Returns the expiry of an object that has only a time. */
export function expiryOf({ clock, settings }: Context, valid_to: string): OwnExpiry {
  const [at, now] = [Date.parse(valid_to), clock.now()];
  return { valid_to, expiry_status: expiryStatus(at, now, settings), days_remaining: daysUntil(at, now) };
}

/** Returns the part of the validity that has passed today, from 0 to 1. */
export function passedPart(
  { valid_from, valid_to, days_remaining }: Readonly<
    { valid_from: string; valid_to: string; days_remaining: number }
  >,
): number {
  const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)];
  return Math.min(1, Math.max(0, (to - days_remaining * DAY_MS - from) / Math.max(1, to - from)));
}

/** Returns the first time that is more than `days` calendar days away. */
function beyond(days: number, now: Millis): Millis {
  return startOfDay(now) + (days + 1) * DAY_MS;
}

/** Returns the length of the validity period in days. The column `lifetime_days` has the same value. */
export function lifeInDays(
  { valid_from: from, valid_to: to }: { readonly valid_from?: unknown; readonly valid_to?: unknown },
): number {
  return Math.round((Date.parse(String(to)) - Date.parse(String(from))) / DAY_MS);
}

/** Returns the condition that selects the rows of a status. */
export function expiryStatusSql(status: ExpiryStatus, { alias, now, thresholds }: ExpiryContext): SQL {
  const validTo = columnOf(alias, "valid_to");
  const past = wholeSecond(now);
  const critical = beyond(thresholds.criticalDays, now);
  const warning = beyond(thresholds.warningDays, now);
  switch (status) {
    case "expired":
      return sql`${validTo} < ${past}`;
    case "critical":
      return withinSql(thresholds.criticalDays, { alias, now });
    case "warning":
      return sql`(${validTo} >= ${Math.max(past, critical)} AND ${validTo} < ${warning})`;
    case "ok":
      return sql`${validTo} >= ${Math.max(past, warning)}`;
  }
}

/** Returns the condition for certificates that have not expired, and do within so many calendar days. */
function withinSql(days: number, { alias, now }: Pick<ExpiryContext, "alias" | "now">): SQL {
  const validTo = columnOf(alias, "valid_to");
  return sql`(${validTo} >= ${wholeSecond(now)} AND ${validTo} < ${beyond(days, now)})`;
}

function expiringSoonSql(value: boolean, context: ExpiryContext): SQL {
  const { alias, now, thresholds: { warningDays } } = context;
  if (value) return withinSql(warningDays, context);
  const validTo = columnOf(alias, "valid_to");
  return sql`(${validTo} < ${wholeSecond(now)} OR ${validTo} >= ${beyond(warningDays, now)})`;
}

/**
 * Returns the condition for certificates that expired without a successor and are neither replaced nor
 * revoked. Those with the status `expired` are included, because the sweep sets it when time has passed,
 * not because somebody dealt with them.
 */
export function overdueSql(value: boolean, { alias, now }: Pick<ExpiryContext, "alias" | "now">): SQL {
  const overdue = sql`(${columnOf(alias, "status")} IN ('active', 'pending', 'expired')
    AND ${columnOf(alias, "valid_to")} < ${wholeSecond(now)} AND ${
    columnOf(alias, "replaced_by_id")
  } IS NULL)`;
  return value ? overdue : sql`NOT ${overdue}`;
}

export const expiryFilters: Record<string, FilterField> = {
  overdue: {
    kind: "predicate",
    type: "boolean",
    description: "Has expired without a successor, and is neither replaced nor revoked",
    condition: (value: boolean, context) => overdueSql(value, context),
  },
  expired: {
    kind: "predicate",
    type: "boolean",
    description: "Has expired, whatever its status",
    condition: (value, context) => {
      const validTo = columnOf(context.alias, "valid_to");
      const past = wholeSecond(context.now);
      return value ? sql`${validTo} < ${past}` : sql`${validTo} >= ${past}`;
    },
  },
  expiring_soon: {
    kind: "predicate",
    type: "boolean",
    description: "Expires within the warning days and has not expired yet, whatever its status",
    condition: (value: boolean, context) => expiringSoonSql(value, context),
  },
  expires_within: {
    kind: "predicate",
    type: "integer",
    description: "Has not expired yet, and does within so many calendar days (UTC), whatever its status",
    // A million days fit into the numbers of SQLite.
    condition: (value: number, context) => withinSql(Math.max(-1, Math.min(value, 1e6)), context),
  },
  expiry_status: {
    kind: "predicate",
    type: "choice",
    choices: EXPIRY_STATUSES,
    condition: (value: ExpiryStatus, context) => expiryStatusSql(value, context),
  },
};

const needs = ["valid_to"];

/** The column that they need. */
type Expiring = Pick<CertificateRow, "valid_to">;

/** The fields that are derived from `valid_to`, the clock and the thresholds. */
export const EXPIRY_FIELDS = [
  derived("days_remaining", {
    description: "Calendar days (UTC) from today to the expiry; negative after it.",
    output: z.int(),
    needs,
    read: ({ valid_to }: Expiring, ctx) => daysUntil(valid_to, ctx.clock.now()),
  }),
  derived("is_expired", {
    description: "Whether the certificate has expired.",
    output: z.boolean(),
    needs,
    read: ({ valid_to }: Expiring, ctx) => isExpired(valid_to, ctx.clock.now()),
  }),
  derived("is_expiring_soon", {
    description: "Whether it expires within the warning days and has not expired yet.",
    output: z.boolean(),
    needs,
    read: ({ valid_to }: Expiring, ctx) =>
      ["critical", "warning"].includes(expiryStatus(valid_to, ctx.clock.now(), ctx.settings)),
  }),
  derived("expiry_status", {
    description: "How close the expiry is, by the configured critical and warning days.",
    output: z.enum(EXPIRY_STATUSES),
    needs,
    read: ({ valid_to }: Expiring, ctx) => expiryStatus(valid_to, ctx.clock.now(), ctx.settings),
  }),
  derived("lifetime_days", {
    description: "Days from `valid_from` to `valid_to`, rounded.",
    output: z.int(),
    needs: ["valid_from", "valid_to"],
    read: (row: Pick<CertificateRow, "valid_from" | "valid_to">) =>
      Math.round((row.valid_to - row.valid_from) / DAY_MS),
    filters: {
      lifetime_days: { kind: "integer", column: "lifetime_days", nullable: false, sortable: false },
    },
  }),
];
