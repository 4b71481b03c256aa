/** The inventory in numbers: what a dashboard shows. */

import { getTableName, type SQL } from "drizzle-orm";
import { authorize, type Context, isGranted, restrictionSql, visible } from "../../../auth/mod.ts";
import { FORECAST_MONTHS, OVERVIEW_ENTRIES, OVERVIEW_MS } from "../../../base/limits.ts";
import { cacheUntilChange, loadBriefs } from "../../../resource/mod.ts";
import { assignments } from "../../assignments/mod.ts";
import { authorities } from "../../authorities/mod.ts";
import { certificates, type ExpiryStatus } from "../../certificates/mod.ts";
import { checks, complianceReport, type DayScore, readReportQuery } from "../../compliance/mod.ts";
import {
  algorithmsSql,
  assignedSql,
  authoritiesSql,
  expirySql,
  forecastSql,
  monthsFrom,
  statusesSql,
} from "./statements.ts";

/** A part of the whole, with a name. */
export interface Share {
  readonly label: string;
  readonly count: number;
  /** The authority's id, where it is one. */
  readonly id?: number;
}

/** Numbers of the certificates that the caller may see. All but `by_status` count active and pending ones only. */
export interface Overview {
  readonly total: number;
  readonly live: number;
  readonly by_status: Readonly<Record<string, number>>;
  readonly by_expiry: Readonly<Record<ExpiryStatus, number>>;
  /** Expiries in this month and those that follow; `month` as `2026-11`. */
  readonly forecast: readonly { readonly month: string; readonly count: number }[];
  /** Kinds of keys, and authorities, the most frequent first; the rest as "other". */
  readonly keys: readonly Share[];
  readonly authorities: readonly Share[];
  /** Without an assignment that the caller may see; null where he may see none. */
  readonly unassigned: number | null;
  /** Null where the caller may not see checks. */
  readonly compliance: {
    readonly score: number;
    readonly total_checks: number;
    readonly failing: number;
    readonly trend: readonly DayScore[] | null;
  } | null;
}

/** The overview; remembered for a minute, unless something changes. Errors: forbidden. */
export async function inventoryOverview({ ctx }: { ctx: Context }): Promise<Overview> {
  const { actor, clock, settings } = ctx;
  const seen = [certificates, assignments, authorities, checks].map(({ objectType }) =>
    visible(ctx, objectType)
  );
  authorize(ctx, "view", certificates.objectType);
  const minute = Math.floor(clock.now() / OVERVIEW_MS);
  const key = JSON.stringify([actor.userId, seen, minute, settings.criticalDays, settings.warningDays]);
  return await cacheUntilChange(ctx, key, () => read(ctx));
}

async function read(ctx: Context): Promise<Overview> {
  const { database } = ctx;
  const now = ctx.clock.now();
  const condition = seenSql(ctx, certificates.objectType, getTableName(certificates.table));
  const [statuses, [expiry], months, keys, issuers, assigned] = await database.batch([
    statusesSql(condition),
    expirySql(condition, { alias: getTableName(certificates.table), now, thresholds: ctx.settings }),
    forecastSql(condition, now),
    algorithmsSql(condition),
    authoritiesSql(condition),
    assignedSql(condition, seenSql(ctx, assignments.objectType, getTableName(assignments.table))),
  ]) as unknown as [
    Counted<"status">[],
    [Record<ExpiryStatus, number>],
    Counted<"month">[],
    (Counted<"algorithm"> & { key_size: number | null })[],
    { issuing_ca_id: number | null; n: number }[],
    { n: number }[],
  ];
  const byStatus = Object.fromEntries(statuses.map(({ status, n }) => [status, n]));
  const live = (byStatus.active ?? 0) + (byStatus.pending ?? 0);
  const byMonth = new Map(months.map(({ month, n }) => [month, n]));
  const maySeeAssignments = isGranted(ctx, "view", assignments.objectType);
  return {
    total: statuses.reduce((sum, { n }) => sum + n, 0),
    live,
    by_status: byStatus,
    by_expiry: expiry,
    forecast: monthsFrom(now, FORECAST_MONTHS).map((month) => ({ month, count: byMonth.get(month) ?? 0 })),
    keys: topOf(
      keys.map(({ algorithm, key_size, n }) => ({ label: keyName(algorithm, key_size), count: n })),
    ),
    authorities: topOf(await named(ctx, issuers)),
    unassigned: maySeeAssignments ? live - (assigned[0]?.n ?? 0) : null,
    compliance: await compliance(ctx),
  };
}

type Counted<Name extends string> = Record<Name, string> & { n: number };

function seenSql(ctx: Context, objectType: string, alias: string): SQL | undefined {
  return restrictionSql(ctx, visible(ctx, objectType), objectType, alias);
}

function keyName(algorithm: string, size: number | null): string {
  const name = { rsa: "RSA", ecdsa: "ECDSA", ed25519: "Ed25519" }[algorithm] ?? algorithm;
  return size === null || algorithm === "ed25519" ? name : `${name} ${size}`;
}

/** Authorities by name; those that the caller may not see have none. */
async function named(
  ctx: Context,
  rows: readonly { issuing_ca_id: number | null; n: number }[],
): Promise<Share[]> {
  const briefs = await loadBriefs(ctx, authorities, rows.map((row) => row.issuing_ca_id));
  const known = rows.flatMap(({ issuing_ca_id: id, n }): Share[] => {
    const brief = id === null ? undefined : briefs.get(id);
    return id === null || brief === undefined ? [] : [{ label: String(brief.display), count: n, id }];
  });
  const rest = rows.reduce((sum, { n }) => sum + n, 0) - known.reduce((sum, { count }) => sum + count, 0);
  return rest === 0 ? known : [...known, { label: "unknown authority", count: rest }];
}

/** The most frequent ones, and all others together. */
function topOf(shares: readonly Share[]): Share[] {
  const sorted = [...shares].sort((a, b) => b.count - a.count);
  const rest = sorted.slice(OVERVIEW_ENTRIES).reduce((sum, { count }) => sum + count, 0);
  const top = sorted.slice(0, OVERVIEW_ENTRIES);
  return rest === 0 ? top : [...top, { label: "other", count: rest }];
}

async function compliance(ctx: Context): Promise<Overview["compliance"]> {
  if (!isGranted(ctx, "view", checks.objectType)) return null;
  const report = await complianceReport({
    ctx,
    query: readReportQuery(new URLSearchParams({ limit: "1" }), ctx),
  });
  return {
    score: report.compliance_score,
    total_checks: report.total_checks,
    failing: report.certificates_failing,
    trend: report.trend,
  };
}
