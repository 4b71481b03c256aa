/** Numbers about the inventory for the dashboard. */

import { and, count, getTableName, gte, type SQL, sql } from "drizzle-orm";
import { authorize, type Context, isGranted, viewRestrictions, visibleSql } from "../../../auth/mod.ts";
import { andAll, readBatch, select, where } from "../../../db/mod.ts";
import { certificates as table } from "../../../db/schema/mod.ts";
import { assignments } from "../../assignments/mod.ts";
import {
  assignedOrServedSql,
  certificates,
  type ExpiryStatus,
  expiryStatusSql,
  inUseSql,
  mayViewUses,
  overdueSql,
  unarchived,
} from "../../certificates/mod.ts";
import { checks, complianceTotals, type DayScore } from "../../compliance/mod.ts";

/** Number of months in the expiry forecast. */
const FORECAST_MONTHS = 12;

/**
 * Numbers of certificates that the caller may view. All except `total`, `by_status` and `overdue` count only those in
 * use.
 */
export interface Overview {
  readonly total: number;
  /** Certificates in use, see {@link inUseSql}. */
  readonly used: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_expiry: Readonly<Record<ExpiryStatus, number>>;
  /** Certificates that expired without a successor, and how many of these are assigned or served (null if hidden). */
  readonly overdue: number;
  readonly overdue_used: number | null;
  /** Expiries in this month and the following ones, with months like `2026-11`. */
  readonly forecast: readonly { readonly month: string; readonly count: number }[];
  /** Certificates without an assignment that the caller may view, but not those of authorities; null if they may not view assignments. */
  readonly unassigned: number | null;
  /** null if the caller may not view checks. */
  readonly compliance: {
    readonly score: number;
    readonly total_checks: number;
    readonly failing: number;
    readonly trend: readonly DayScore[] | null;
  } | null;
}

/** Returns the overview. Errors: forbidden. */
export async function inventoryOverview({ ctx }: { ctx: Context }): Promise<Overview> {
  authorize(ctx, "view", certificates.map);
  const now = ctx.clock.now();
  const alias = getTableName(table);
  const shown = viewRestrictions(ctx);
  const listed = unarchived(alias);
  const seen = visibleSql(ctx, certificates.map, alias);
  const used = andAll(inUseSql(alias, shown), seen);
  const assignmentsSeen = where(visibleSql(ctx, assignments.map, getTableName(assignments.table)));
  const filtered = (condition: SQL): SQL<number> => sql`count(*) FILTER (WHERE ${condition})`;
  const { status, valid_to, kind } = table;
  const within = (one: ExpiryStatus): SQL<number> =>
    filtered(expiryStatusSql(one, { alias, now, thresholds: ctx.settings }));
  const [statuses, [uses], months, [overdue]] = await readBatch(
    ctx.database,
    [
      select({ status, n: count() }).from(table).where(and(listed, seen)).groupBy(status),
      select({
        expired: within("expired"),
        critical: within("critical"),
        warning: within("warning"),
        ok: within("ok"),
        used: count(),
        unassigned: filtered(
          sql`${kind} <> 'ca'
            AND certificates.id NOT IN (SELECT certificate_id FROM certificate_assignments${assignmentsSeen})`,
        ),
      }).from(table).where(used),
      select({ month: sql<string>`strftime('%Y-%m', ${valid_to} / 1000, 'unixepoch')`, n: count() }).from(
        table,
      )
        .where(and(used, gte(valid_to, now))).groupBy(sql`month`),
      // The range of expired certificates is small.
      select({ n: count(), used: filtered(assignedOrServedSql(alias, shown)) }).from(table)
        .where(and(overdueSql(true, { alias, now }), listed, seen)),
    ],
    { long: true, owner: ctx.actor.userId },
  );
  const byMonth = new Map(months.map(({ month, n }) => [month, n]));
  const { used: total = 0, unassigned = 0, expired = 0, critical = 0, warning = 0, ok = 0 } = uses ?? {};
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    used: total,
    by_status: Object.fromEntries(statuses.map((row) => [row.status, row.n])),
    by_expiry: { expired, critical, warning, ok },
    overdue: overdue?.n ?? 0,
    overdue_used: mayViewUses(ctx) ? overdue?.used ?? 0 : null,
    forecast: monthsFrom(now).map((month) => ({ month, count: byMonth.get(month) ?? 0 })),
    unassigned: isGranted(ctx, "view", assignments.objectType) ? unassigned : null,
    compliance: await compliance(ctx),
  };
}

/** Returns names of months (`2026-11`), beginning with that of `now`. */
function monthsFrom(now: number): string[] {
  const first = new Date(now);
  return Array.from({ length: FORECAST_MONTHS }, (_, index) => {
    const month = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1));
    return month.toISOString().slice(0, 7);
  });
}

async function compliance(ctx: Context): Promise<Overview["compliance"]> {
  if (!isGranted(ctx, "view", checks.objectType)) return null;
  const { compliance_score: score, certificates_failing: failing, total_checks, trend } =
    await complianceTotals({ ctx });
  return { score, total_checks, failing, trend };
}
