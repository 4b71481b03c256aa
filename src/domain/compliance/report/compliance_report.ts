/** The compliance report on the results that the caller may view. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, visible, visibleSql } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { andAll, idsIn, readBatch, type Row, where } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { type Brief, listCondition, loadBriefs } from "../../../resource/mod.ts";
import { certificates, unarchived } from "../../certificates/mod.ts";
import { contacts, ownerIdSql } from "../../contacts/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { checks } from "../checks.ts";
import { type DayScore, readTrend, selectTrend, withToday } from "../daily_score.ts";
import { type CheckCounts, checkCounts } from "../evaluate.ts";
import { policies, SEVERITIES } from "../policies.ts";
import { readReportQuery, type ReportQuery } from "./read_query.ts";

/** The report. Policies, tenants and owners that the caller may not view are counted together under null. */
export interface Report extends CheckCounts {
  readonly generated_at: string;
  readonly certificates_checked: number;
  readonly certificates_failing: number;
  readonly by_severity: readonly (CheckCounts & { readonly severity: string })[];
  readonly by_policy: readonly (CheckCounts & { readonly policy: Brief | null })[];
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
 * filter selects these. Nine statements, whatever the number of results. Errors: forbidden.
 */
export async function complianceReport(
  { ctx, query }: { ctx: Context; query: ReportQuery },
): Promise<Report> {
  const condition = await conditionOf(ctx, query);
  const now = ctx.clock.now();
  const { groups, owners, counts, failing, trend } = await readNumbers(ctx, condition, query);
  const seesTrends = isEverything(visible(ctx, checks.map));
  const [policiesById, tenantsById, ownersById, certificatesById] = await Promise.all([
    loadBriefs(ctx, policies, groups.map((group) => group.policy_id)),
    loadBriefs(ctx, tenants, groups.map((group) => group.tenant_id)),
    loadBriefs(ctx, contacts, owners.map((group) => group.owner_id)),
    loadBriefs(ctx, certificates, failing.map((row) => row.certificate_id)),
  ]);
  return {
    generated_at: formatDatetime(now),
    ...sumOf(groups),
    certificates_checked: counts.checked,
    certificates_failing: counts.failing,
    by_severity: bySeverity(groups),
    by_policy: byObject(groups, (group) => group.policy_id, policiesById)
      .map(({ object, sum }) => ({ policy: object, ...sum })),
    by_tenant: byObject(groups, (group) => group.tenant_id, tenantsById)
      .map(({ object, sum }) => ({ tenant: object, ...sum })),
    by_owner: byObject(owners, (group) => group.owner_id, ownersById)
      .map(({ object, sum }) => ({ owner: object, ...sum })),
    failing_certificates: {
      count: counts.failing,
      results: failing.map((row) => failingCertificate(row, certificatesById)),
    },
    trend: seesTrends ? readTrend(trend) : null,
  };
}

/** Returns the names of the policies that certificates fail in a report, without hidden ones. One statement. */
export async function failedPolicies(
  { ctx, query }: { ctx: Context; query: ReportQuery },
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await ctx.database.all<Row & { id: number; names: string }>(
    sql`SELECT certificate_id AS id, group_concat(compliance_policies.name, '; ' ORDER BY compliance_policies.name) AS names
      FROM compliance_checks JOIN compliance_policies ON compliance_policies.id = compliance_checks.policy_id
      ${
      where(
        await conditionOf(ctx, query),
        sql`certificate_id IN ${idsIn(ids)} AND compliance_checks.result = 'fail'`,
        visibleSql(ctx, policies.map),
      )
    } GROUP BY certificate_id`,
  );
  return new Map(rows.map(({ id, names }) => [id, names]));
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

/** The counts of a failing certificate: failures by severity, and passed checks. */
interface FailingRow {
  readonly certificate_id: number;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
  readonly passed: number;
}

/** Numbers of certificates with checks, and of those that fail one. */
type CheckedCounts = Record<"checked" | "failing", number>;

/** Counts certificates with checks, and how many of them fail at least one. */
function checkedCountsSql(condition: SQL | undefined): SQL<CheckedCounts> {
  return sql<CheckedCounts>`SELECT count(*) AS checked, coalesce(sum(fails), 0) AS failing FROM (
    SELECT max(result = 'fail') AS fails FROM compliance_checks${where(condition)} GROUP BY certificate_id)`;
}

/**
 * Selects a page of failing certificates: those with the most critical failures first, then by warnings, then
 * by infos.
 */
function failingSql(
  condition: SQL | undefined,
  { limit, offset }: { limit: number; offset: number },
): SQL<FailingRow> {
  const failures = sql`SELECT certificate_id, sum(severity = 'critical') AS critical,
      sum(severity = 'warning') AS warning, sum(severity = 'info') AS info
    FROM compliance_checks${where(condition, sql`compliance_checks.result = 'fail'`)}
    GROUP BY certificate_id ORDER BY 2 DESC, 3 DESC, 4 DESC, 1 LIMIT ${limit} OFFSET ${offset}`;
  const passed = where(
    condition,
    sql`compliance_checks.certificate_id = failing.certificate_id AND compliance_checks.result = 'pass'`,
  );
  return sql<FailingRow>`SELECT failing.*, (SELECT count(*) FROM compliance_checks${passed}) AS passed
    FROM (${failures}) AS failing ORDER BY 2 DESC, 3 DESC, 4 DESC, 1`;
}

/** The counts for a policy, tenant and severity. */
interface Group {
  readonly policy_id: number;
  readonly tenant_id: number | null;
  readonly severity: string;
  readonly passed: number;
  readonly failed: number;
}

/** Selects the groups. */
function groupsSql(condition: SQL | undefined): SQL<Group> {
  return sql<Group>`SELECT compliance_checks.policy_id AS policy_id, certificates.tenant_id AS tenant_id,
      compliance_checks.severity AS severity,
      sum(compliance_checks.result = 'pass') AS passed, sum(compliance_checks.result = 'fail') AS failed
    FROM compliance_checks CROSS JOIN certificates ON certificates.id = compliance_checks.certificate_id${
    where(condition)
  } GROUP BY 1, 2, 3`;
}

/** The counts for an owner's certificates; null for certificates without an owner. */
interface OwnerGroup {
  readonly owner_id: number | null;
  readonly passed: number;
  readonly failed: number;
}

/**
 * Selects the counts by owner. Checks are first counted by certificate, so that each owner is determined
 * once.
 */
function ownerGroupsSql(condition: SQL | undefined, ownerId: SQL): SQL<OwnerGroup> {
  return sql<
    OwnerGroup
  >`WITH counted AS MATERIALIZED (SELECT compliance_checks.certificate_id AS certificate_id,
      sum(compliance_checks.result = 'pass') AS passed, sum(compliance_checks.result = 'fail') AS failed
      FROM compliance_checks${where(condition)} GROUP BY 1)
    SELECT ${ownerId} AS owner_id, sum(passed) AS passed, sum(failed) AS failed
    FROM counted CROSS JOIN certificates ON certificates.id = counted.certificate_id GROUP BY 1`;
}

type Counts = Pick<Group, "passed" | "failed">;

/** Sums up groups. */
function sumOf(groups: readonly Counts[]): CheckCounts {
  return checkCounts({
    passed: groups.reduce((sum, group) => sum + group.passed, 0),
    failed: groups.reduce((sum, group) => sum + group.failed, 0),
  });
}

/** Returns the counts of all severities, most severe first, even if they have no checks. */
function bySeverity(groups: readonly Group[]): (CheckCounts & { severity: string })[] {
  return SEVERITIES.map((severity) => ({
    severity,
    ...sumOf(groups.filter((group) => group.severity === severity)),
  }));
}

/**
 * Returns the counts of each object for which `idOf` returns the id, most failures first. Objects that are
 * not in `briefs` (hidden or none) are counted together as null, after others with the same number of
 * failures.
 */
function byObject<Brief, Of extends Counts>(
  groups: readonly Of[],
  idOf: (group: Of) => number | null,
  briefs: ReadonlyMap<number, Brief>,
): { readonly object: Brief | null; readonly sum: CheckCounts }[] {
  const named = Map.groupBy(groups, (group) => briefs.get(idOf(group) ?? 0) ?? null);
  return [...named].map(([object, some]) => ({ object, sum: sumOf(some) }))
    .sort((a, b) => b.sum.failed - a.sum.failed || Number(a.object === null) - Number(b.object === null));
}
