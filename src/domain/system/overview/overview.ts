/** Numbers about the inventory for the dashboard. */

import type { FieldMap } from "../../../filters/mod.ts";
import { getTableName, type SQL } from "drizzle-orm";
import {
  authorize,
  type Context,
  isGranted,
  viewRestrictions,
  visible,
  visibleSql,
} from "../../../auth/mod.ts";
import { andAll, readBatch } from "../../../db/mod.ts";
import { cacheUntilChange, loadBriefs } from "../../../resource/mod.ts";
import { assignments } from "../../assignments/mod.ts";
import { authorities } from "../../authorities/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { certificates, type ExpiryStatus, inUseSql, mayViewUses } from "../../certificates/mod.ts";
import { checks, complianceTotals, type DayScore } from "../../compliance/mod.ts";
import {
  algorithmsSql,
  authoritiesSql,
  expirySql,
  forecastSql,
  monthsFrom,
  overdueCountsSql,
  statusesSql,
  usedSql,
  weeksFrom,
  weeksSql,
} from "./statements.ts";

import { type DividedWeeks, divideWeeks } from "./weeks.ts";

/** Time for which an overview is cached without changes, because it contains remaining days. */
const OVERVIEW_MS = 60_000;
/** Number of months in the expiry forecast. */
const FORECAST_MONTHS = 12;
/** Number of weeks in the forecast by week: about 90 days. */
const FORECAST_WEEKS = 13;
/** Number of authorities and of key types in the overview; the others are counted together. */
const OVERVIEW_ENTRIES = 8;

/** A labelled count. */
export interface Share {
  readonly label: string;
  readonly count: number;
  /** Filter of the list that it counts, without the status; absent for the sum of several entries. */
  readonly query?: string;
}

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
  /** Expiries of the next weeks, from today, with dates like `2026-11-20`. */
  readonly weeks: readonly { readonly from: string; readonly count: number }[];
  /** These expiries by tenant and by issuing authority. */
  readonly weeks_by: { readonly tenant: DividedWeeks; readonly issuer: DividedWeeks };
  /** Key types and authorities, most frequent first; all others as "other". */
  readonly keys: readonly Share[];
  readonly authorities: readonly Share[];
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

/** Returns the overview, cached for a minute unless something changes. Errors: forbidden. */
export async function inventoryOverview({ ctx }: { ctx: Context }): Promise<Overview> {
  const { actor, clock, settings } = ctx;
  const seen = [certificates, assignments, authorities, tenants, checks].map(({ map }) => visible(ctx, map));
  authorize(ctx, "view", certificates.map);
  const minute = Math.floor(clock.now() / OVERVIEW_MS);
  const key = JSON.stringify([actor.userId, seen, minute, settings.criticalDays, settings.warningDays]);
  return await cacheUntilChange(ctx, key, () => read(ctx));
}

async function read(ctx: Context): Promise<Overview> {
  const { database } = ctx;
  const now = ctx.clock.now();
  const alias = getTableName(certificates.table);
  const condition = seenSql(ctx, certificates.map, alias);
  const used = andAll(inUseSql(alias, viewRestrictions(ctx)), condition);
  const assignmentsSeen = seenSql(ctx, assignments.map, getTableName(assignments.table));
  const weekly = { now, weeks: FORECAST_WEEKS };
  const [statuses, [expiry], months, byTenant, byIssuer, keys, issuers, [uses], [overdue]] = await readBatch(
    database,
    [
      statusesSql(condition),
      expirySql(used, { alias, now, thresholds: ctx.settings }),
      forecastSql(used, now),
      weeksSql(used, { ...weekly, column: "tenant_id" }),
      weeksSql(used, { ...weekly, column: "issuing_ca_id" }),
      algorithmsSql(used),
      authoritiesSql(used),
      usedSql(used, assignmentsSeen),
      overdueCountsSql(condition, { now, shown: viewRestrictions(ctx) }),
    ],
    { long: true, owner: ctx.actor.userId },
  );
  const byStatus = Object.fromEntries(statuses.map(({ status, n }) => [status, n]));
  const byMonth = new Map(months.map(({ month, n }) => [month, n]));
  const maySeeAssignments = isGranted(ctx, "view", assignments.objectType);
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    used: uses?.n ?? 0,
    by_status: byStatus,
    by_expiry: expiry as Overview["by_expiry"],
    overdue: overdue?.overdue ?? 0,
    overdue_used: mayViewUses(ctx) ? overdue?.used ?? 0 : null,
    forecast: monthsFrom(now, FORECAST_MONTHS).map((month) => ({ month, count: byMonth.get(month) ?? 0 })),
    weeks: weeksFrom(now, FORECAST_WEEKS).map((from, week) => ({
      from,
      count: byTenant.reduce((sum, one) => sum + (one.week === week ? one.n : 0), 0),
    })),
    weeks_by: {
      tenant: await divideWeeks(ctx, byTenant, {
        resource: tenants,
        weeks: FORECAST_WEEKS,
        name: "tenant_id",
        none: "No tenant",
      }),
      issuer: await divideWeeks(ctx, byIssuer, {
        resource: authorities,
        weeks: FORECAST_WEEKS,
        name: "issuing_ca_id",
        none: "Unknown authority",
      }),
    },
    keys: topOf(
      keys.map(({ algorithm, key_size: size, n }) => ({
        label: keyName(algorithm, size),
        count: n,
        query: `algorithm=${algorithm}&${size === null ? "key_size__empty=true" : `key_size=${size}`}`,
      })),
    ),
    authorities: topOf(await named(ctx, issuers)),
    unassigned: maySeeAssignments ? uses?.unassigned ?? 0 : null,
    compliance: await compliance(ctx),
  };
}

function seenSql(ctx: Context, map: FieldMap, alias: string): SQL | undefined {
  return visibleSql(ctx, map, alias);
}

function keyName(algorithm: string, size: number | null): string {
  const name = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" }[algorithm] ?? algorithm;
  return size === null || algorithm === "ed25519" ? name : `${name} ${size}`;
}

/** Returns authorities by name. Hidden ones count as "other". */
async function named(
  ctx: Context,
  rows: readonly { issuing_ca_id: number | null; n: number }[],
): Promise<Share[]> {
  const briefs = await loadBriefs(ctx, authorities, rows.map((row) => row.issuing_ca_id));
  const known = rows.flatMap(({ issuing_ca_id: id, n }): Share[] => {
    const brief = id === null ? undefined : briefs.get(id);
    return id === null || brief === undefined
      ? []
      : [{ label: brief.display, count: n, query: `issuing_ca_id=${id}` }];
  });
  const rest = rows.reduce((sum, { n }) => sum + n, 0) - known.reduce((sum, { count }) => sum + count, 0);
  return rest === 0
    ? known
    : [...known, { label: "unknown authority", count: rest, query: "has_issuing_ca=false" }];
}

/** Returns the most frequent entries, and the sum of all others. */
function topOf(shares: readonly Share[]): Share[] {
  const sorted = [...shares].sort((a, b) => b.count - a.count);
  const rest = sorted.slice(OVERVIEW_ENTRIES).reduce((sum, { count }) => sum + count, 0);
  const top = sorted.slice(0, OVERVIEW_ENTRIES);
  return rest === 0 ? top : [...top, { label: "other", count: rest }];
}

async function compliance(ctx: Context): Promise<Overview["compliance"]> {
  if (!isGranted(ctx, "view", checks.objectType)) return null;
  const { compliance_score: score, certificates_failing: failing, total_checks, trend } =
    await complianceTotals({ ctx });
  return { score, total_checks, failing, trend };
}
