/** How the certificates do under the policies, as far as the caller may see. */

import { type SQL, sql } from "drizzle-orm";
import { type Context, visible } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { Row } from "../../../db/mod.ts";
import { isEverything } from "../../../filters/mod.ts";
import { andAll, type Brief, briefQuery, listCondition } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { tenants } from "../../inventory/mod.ts";
import { checks } from "../checks.ts";
import { type DayScore, readTrend, trendSql } from "../daily_score.ts";
import { policies } from "../policies.ts";
import { type Tally, tally } from "../score.ts";
import { certificateCountsSql, type FailingRow, failingSql } from "./failing.ts";
import { byObject, bySeverity, type Group, groupsSql, sumOf } from "./groups.ts";
import type { ReportQuery } from "./read_query.ts";

/** The report. A policy or a tenant that the caller may not see is counted under null, with all others of its kind. */
export interface Report extends Tally {
  readonly generated_at: string;
  readonly certificates_checked: number;
  readonly certificates_failing: number;
  readonly by_severity: readonly (Tally & { readonly severity: string })[];
  readonly by_policy: readonly (Tally & { readonly policy: Brief | null })[];
  readonly by_tenant: readonly (Tally & { readonly tenant: Brief | null })[];
  /** A page of them, worst first. */
  readonly failing_certificates: { readonly count: number; readonly results: readonly FailingCertificate[] };
  /** The score of all certificates in use day by day, whatever the filters; null for whoever does not see all of it. */
  readonly trend: readonly DayScore[] | null;
}

/** One failing certificate, with its failures by severity. */
export interface FailingCertificate extends Tally {
  readonly certificate: Brief | null;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

/**
 * Reports on the stored results that the caller may view and that fulfil the filter. Results of disabled policies
 * count only where policies are named, and those of certificates out of use only where the filter asks for them. Seven statements, however many results. Errors: forbidden.
 */
export async function complianceReport(
  { ctx, query }: { ctx: Context; query: ReportQuery },
): Promise<Report> {
  const condition = andAll(
    await listCondition({ ctx, resource: checks, filter: query.filter }),
    query.namesPolicies ? undefined : OF_ENABLED_POLICIES,
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
    trend: isEverything(visible(ctx, checks.objectType)) ? readTrend(trend) : null,
  };
}

const OF_ENABLED_POLICIES =
  sql`compliance_checks.policy_id IN (SELECT id FROM compliance_policies WHERE enabled = 1)`;

/** The numbers, all of one moment. */
async function readNumbers(
  { database, clock }: Context,
  condition: SQL | undefined,
  query: ReportQuery,
): Promise<{
  groups: Group[];
  counts: { checked: number; failing: number };
  failing: FailingRow[];
  trend: Row[];
}> {
  const [groups, [counts], failing, trend] = await database.batch([
    groupsSql(condition),
    certificateCountsSql(condition),
    failingSql(condition, query),
    trendSql(clock.now()),
  ]) as unknown as [Group[], [{ checked: number; failing: number }], FailingRow[], Row[]];
  return { groups, counts, failing, trend };
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
    ...tally({ passed, failed: critical + warning + info }),
  };
}
