/** The compliance report on the results that the caller may view. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, visible } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { andAll, readBatch, type Row } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { type Brief, briefQuery, listCondition } from "../../../resource/mod.ts";
import { certificates, unarchived } from "../../certificates/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { checks } from "../checks.ts";
import { type DayScore, readTrend, selectTrend } from "../daily_score.ts";
import { policies } from "../policies.ts";
import { type CheckCounts, checkCounts } from "../score.ts";
import { checkedCountsSql, type FailingRow, failingSql } from "./failing.ts";
import { byObject, bySeverity, type Group, groupsSql, sumOf } from "./groups.ts";
import type { ReportQuery } from "./read_query.ts";

/** The report. Policies and tenants that the caller may not view are counted together under null. */
export interface Report extends CheckCounts {
  readonly generated_at: string;
  readonly certificates_checked: number;
  readonly certificates_failing: number;
  readonly by_severity: readonly (CheckCounts & { readonly severity: string })[];
  readonly by_policy: readonly (CheckCounts & { readonly policy: Brief | null })[];
  readonly by_tenant: readonly (CheckCounts & { readonly tenant: Brief | null })[];
  /** A page of them, most severe failures first. */
  readonly failing_certificates: { readonly count: number; readonly results: readonly FailingCertificate[] };
  /** The daily score of all certificates in use, whatever the filters; null for a caller who may not view all checks. */
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
 * Reports on the stored results that the caller may view and that match the filter. Results of disabled policies count
 * only if the query names policies, and those of certificates out of use only if the filter selects them. Seven
 * statements, however many results. Errors: forbidden.
 */
export async function complianceReport(
  { ctx, query }: { ctx: Context; query: ReportQuery },
): Promise<Report> {
  const condition = andAll(
    await listCondition({ ctx, resource: checks, filter: query.filter }),
    query.namesPolicies ? undefined : OF_ENABLED_POLICIES,
    // On the column of the checks: a search through the certificates would walk all of them.
    query.withArchived ? undefined : unarchived("compliance_checks", "certificate_id"),
  );
  const now = ctx.clock.now();
  const { groups, counts, failing, trend } = await readNumbers(ctx, condition, query);
  const briefs = [
    briefQuery(ctx, policies, groups.map((group) => group.policy_id)),
    briefQuery(ctx, tenants, groups.map((group) => group.tenant_id)),
    briefQuery(ctx, certificates, failing.map((row) => row.certificate_id)),
  ] as const;
  const rows = await ctx.database.batch(briefs.map(({ statement }) => statement));
  const [policy, tenant, certificate] = briefs.map(({ read }, index) => read(rows[index] as Row[])) as [
    Map<number, Brief>,
    Map<number, Brief>,
    Map<number, Brief>,
  ];
  return {
    generated_at: formatDatetime(now),
    ...sumOf(groups),
    certificates_checked: counts.checked,
    certificates_failing: counts.failing,
    by_severity: bySeverity(groups),
    by_policy: byObject(groups, (group) => group.policy_id, policy)
      .map(({ object, sum }) => ({ policy: object, ...sum })),
    by_tenant: byObject(groups, (group) => group.tenant_id, tenant)
      .map(({ object, sum }) => ({ tenant: object, ...sum })),
    failing_certificates: {
      count: counts.failing,
      results: failing.map((row) => failingCertificate(row, certificate)),
    },
    trend: isEverything(visible(ctx, checks.map)) ? readTrend(trend) : null,
  };
}

const OF_ENABLED_POLICIES =
  sql`compliance_checks.policy_id IN (SELECT id FROM compliance_policies WHERE enabled = 1)`;

/** Reads the numbers, all in one snapshot of the database. */
async function readNumbers(
  { database, clock }: Context,
  condition: SQL | undefined,
  query: ReportQuery,
): Promise<{
  groups: Group[];
  counts: { checked: number; failing: number };
  failing: FailingRow[];
  trend: { day: number; passed: number; failed: number }[];
}> {
  const [groups, [counts], failing, trend] = await readBatch(database, [
    groupsSql(condition),
    checkedCountsSql(condition),
    failingSql(condition, query),
    selectTrend(clock.now()),
  ]);
  return {
    groups: groups as unknown as Group[],
    counts: counts as { checked: number; failing: number },
    failing: failing as unknown as FailingRow[],
    trend,
  };
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
