/** The compliance report on the results that the caller may view. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, visible } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { andAll, readBatch } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { type Brief, briefQuery, listCondition } from "../../../resource/mod.ts";
import { certificates, unarchived } from "../../certificates/mod.ts";
import { contacts, ownerIdSql } from "../../contacts/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { checks } from "../checks.ts";
import { type DayScore, readTrend, selectPolicyTrends, selectTrend, withToday } from "../daily_score.ts";
import { policies } from "../policies.ts";
import { type CheckCounts, checkCounts } from "../evaluate.ts";
import { type CheckedCounts, checkedCountsSql, type FailingRow, failingSql } from "./failing.ts";
import {
  byObject,
  bySeverity,
  type Group,
  groupsSql,
  type OwnerGroup,
  ownerGroupsSql,
  sumOf,
} from "./groups.ts";
import { readReportQuery, type ReportQuery } from "./read_query.ts";

/** Maximum number of policies with trends in a report: those with the most failures. */
export const MAX_POLICY_TRENDS = 50;

/** The report. Policies, tenants and owners that the caller may not view are counted together under null. */
export interface Report extends CheckCounts {
  readonly generated_at: string;
  readonly certificates_checked: number;
  readonly certificates_failing: number;
  readonly by_severity: readonly (CheckCounts & { readonly severity: string })[];
  /** `trend` is null for other policies, and if the trend of the report is null. */
  readonly by_policy:
    readonly (CheckCounts & { readonly policy: Brief | null; readonly trend: readonly DayScore[] | null })[];
  readonly by_tenant: readonly (CheckCounts & { readonly tenant: Brief | null })[];
  /** By the effective owner of the certificates. */
  readonly by_owner: readonly (CheckCounts & { readonly owner: Brief | null })[];
  /** A page of failing certificates, most severe failures first. */
  readonly failing_certificates: { readonly count: number; readonly results: readonly FailingCertificate[] };
  /**
   * The daily score of all certificates in use, whatever the filters. null for a caller who may not view all
   * checks.
   */
  readonly trend: readonly DayScore[] | null;
}

/** One failing certificate, with its failures by severity. */
export interface FailingCertificate extends CheckCounts {
  readonly certificate: Brief | null;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

/**
 * Reports on the stored results that the caller may view and the filter selects. Results of disabled policies
 * count only if the query names policies. Results of certificates that are not in use count only if the
 * filter selects these. Ten statements, whatever the number of results. Errors: forbidden.
 */
export async function complianceReport(
  { ctx, query }: { ctx: Context; query: ReportQuery },
): Promise<Report> {
  const condition = await conditionOf(ctx, query);
  const now = ctx.clock.now();
  const { groups, owners, counts, failing, trend } = await readNumbers(ctx, condition, query);
  const seesTrends = isEverything(visible(ctx, checks.map));
  const ofPolicies = briefQuery(ctx, policies, groups.map((group) => group.policy_id));
  const ofTenants = briefQuery(ctx, tenants, groups.map((group) => group.tenant_id));
  const ofOwners = briefQuery(ctx, contacts, owners.map((group) => group.owner_id));
  const ofCertificates = briefQuery(ctx, certificates, failing.map((row) => row.certificate_id));
  const [trends, policyRows, tenantRows, ownerRows, certificateRows] = await readBatch(ctx.database, [
    selectPolicyTrends(seesTrends ? mostFailing(groups) : [], now),
    ofPolicies.statement,
    ofTenants.statement,
    ofOwners.statement,
    ofCertificates.statement,
  ]);
  const certificate = ofCertificates.read(certificateRows);
  const trendOf = Map.groupBy(trends, (row) => row.policy_id);
  return {
    generated_at: formatDatetime(now),
    ...sumOf(groups),
    certificates_checked: counts.checked,
    certificates_failing: counts.failing,
    by_severity: bySeverity(groups),
    by_policy: byObject(groups, (group) => group.policy_id, ofPolicies.read(policyRows)).map(
      ({ object, sum }) => {
        const days = object === null ? undefined : trendOf.get(object.id);
        return { policy: object, ...sum, trend: days === undefined ? null : readTrend(days) };
      },
    ),
    by_tenant: byObject(groups, (group) => group.tenant_id, ofTenants.read(tenantRows))
      .map(({ object, sum }) => ({ tenant: object, ...sum })),
    by_owner: byObject(owners, (group) => group.owner_id, ofOwners.read(ownerRows))
      .map(({ object, sum }) => ({ owner: object, ...sum })),
    failing_certificates: {
      count: counts.failing,
      results: failing.map((row) => failingCertificate(row, certificate)),
    },
    trend: seesTrends ? readTrend(trend) : null,
  };
}

/** The numbers of a report that a dashboard shows. */
export type ComplianceTotals = Pick<
  Report,
  "total_checks" | "compliance_score" | "certificates_failing" | "trend"
>;

/**
 * Returns the totals of the report without parameters, for which owners are not needed. Its trend ends with them.
 * Errors: forbidden.
 */
export async function complianceTotals({ ctx }: { ctx: Context }): Promise<ComplianceTotals> {
  const now = ctx.clock.now();
  const condition = await conditionOf(ctx, readReportQuery(new URLSearchParams(), ctx));
  const [groups, [counts], trend] = await readBatch(ctx.database, [
    groupsSql(condition),
    checkedCountsSql(condition),
    selectTrend(now),
  ]);
  const sum = sumOf(groups);
  return {
    total_checks: sum.total_checks,
    compliance_score: sum.compliance_score,
    certificates_failing: counts?.failing ?? 0,
    trend: isEverything(visible(ctx, checks.map)) ? withToday(readTrend(trend), sum, now) : null,
  };
}

/** Returns the ids of the policies with the most failures. */
function mostFailing(groups: readonly Group[]): number[] {
  const byPolicy = Map.groupBy(groups, ({ policy_id }) => policy_id);
  return [...byPolicy].map(([id, some]) => ({ id, failed: sumOf(some).failed }))
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MAX_POLICY_TRENDS).map(({ id }) => id);
}

async function conditionOf(ctx: Context, query: ReportQuery): Promise<SQL | undefined> {
  return andAll(
    await listCondition({ ctx, resource: checks, filter: query.filter }),
    query.namesPolicies ? undefined : OF_ENABLED_POLICIES,
    // On the column of the checks, because a search through the certificates would scan all of them.
    query.withArchived ? undefined : unarchived("compliance_checks", "certificate_id"),
  );
}

const OF_ENABLED_POLICIES =
  sql`compliance_checks.policy_id IN (SELECT id FROM compliance_policies WHERE enabled = 1)`;

/** Reads all numbers from the same snapshot of the database. */
async function readNumbers(ctx: Context, condition: SQL | undefined, query: ReportQuery): Promise<{
  groups: Group[];
  owners: OwnerGroup[];
  counts: CheckedCounts;
  failing: FailingRow[];
  trend: { day: number; passed: number; failed: number }[];
}> {
  const [groups, owners, [counts = { checked: 0, failing: 0 }], failing, trend] = await readBatch(
    ctx.database,
    [
      groupsSql(condition),
      ownerGroupsSql(condition, ownerIdSql(ctx, "certificates")),
      checkedCountsSql(condition),
      failingSql(condition, query),
      selectTrend(ctx.clock.now()),
    ],
  );
  return { groups, owners, counts, failing, trend };
}

function failingCertificate(
  { certificate_id, critical, warning, info, passed }: FailingRow,
  briefs: ReadonlyMap<number, Brief>,
): FailingCertificate {
  return {
    certificate: briefs.get(certificate_id) ?? null,
    critical,
    warning,
    info,
    ...checkCounts({ passed, failed: critical + warning + info }),
  };
}
