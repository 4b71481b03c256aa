/** Counts of results by severity, policy and tenant: one statement, summed up here. */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../../db/mod.ts";
import { SEVERITIES } from "../policies.ts";
import { type CheckCounts, checkCounts } from "../score.ts";

/** The counts of one policy, tenant and severity. */
export interface Group {
  readonly policy_id: number;
  readonly tenant_id: number | null;
  readonly severity: string;
  readonly passed: number;
  readonly failed: number;
}

/** Selects the groups. */
export function groupsSql(condition: SQL | undefined): SQL {
  return sql`SELECT compliance_checks.policy_id AS policy_id, certificates.tenant_id AS tenant_id,
      compliance_checks.severity AS severity,
      sum(compliance_checks.result = 'pass') AS passed, sum(compliance_checks.result = 'fail') AS failed
    FROM compliance_checks CROSS JOIN certificates ON certificates.id = compliance_checks.certificate_id${
    where(condition)
  } GROUP BY 1, 2, 3`;
}

/** Sums up groups. */
export function sumOf(groups: readonly Group[]): CheckCounts {
  return checkCounts({
    passed: groups.reduce((sum, group) => sum + group.passed, 0),
    failed: groups.reduce((sum, group) => sum + group.failed, 0),
  });
}

/** Returns the counts of each severity, most severe first, with or without checks. */
export function bySeverity(groups: readonly Group[]): (CheckCounts & { severity: string })[] {
  return SEVERITIES.map((severity) => ({
    severity,
    ...sumOf(groups.filter((group) => group.severity === severity)),
  }));
}

/**
 * Returns the counts of each object that `idOf` names, most failures first. Objects that are not among `briefs` (hidden
 * or none) are counted together as null, after others with as many failures.
 */
export function byObject<Brief>(
  groups: readonly Group[],
  idOf: (group: Group) => number | null,
  briefs: ReadonlyMap<number, Brief>,
): { readonly object: Brief | null; readonly sum: CheckCounts }[] {
  const named = Map.groupBy(groups, (group) => briefs.get(idOf(group) ?? 0) ?? null);
  return [...named].map(([object, some]) => ({ object, sum: sumOf(some) }))
    .sort((a, b) => b.sum.failed - a.sum.failed || Number(a.object === null) - Number(b.object === null));
}
