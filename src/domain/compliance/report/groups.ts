/** Counts results by severity, policy and tenant with one statement, and adds them up. */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../../db/mod.ts";
import { SEVERITIES } from "../policies.ts";
import { type CheckCounts, checkCounts } from "../evaluate.ts";

/** The counts for a policy, tenant and severity. */
export interface Group {
  readonly policy_id: number;
  readonly tenant_id: number | null;
  readonly severity: string;
  readonly passed: number;
  readonly failed: number;
}

/** Selects the groups. */
export function groupsSql(condition: SQL | undefined): SQL<Group> {
  return sql<Group>`SELECT compliance_checks.policy_id AS policy_id, certificates.tenant_id AS tenant_id,
      compliance_checks.severity AS severity,
      sum(compliance_checks.result = 'pass') AS passed, sum(compliance_checks.result = 'fail') AS failed
    FROM compliance_checks CROSS JOIN certificates ON certificates.id = compliance_checks.certificate_id${
    where(condition)
  } GROUP BY 1, 2, 3`;
}

/** The counts for an owner's certificates; null for certificates without an owner. */
export interface OwnerGroup {
  readonly owner_id: number | null;
  readonly passed: number;
  readonly failed: number;
}

/**
 * Selects the counts by owner. Checks are first counted by certificate, so that each owner is determined
 * once.
 */
export function ownerGroupsSql(condition: SQL | undefined, ownerId: SQL): SQL<OwnerGroup> {
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
export function sumOf(groups: readonly Counts[]): CheckCounts {
  return checkCounts({
    passed: groups.reduce((sum, group) => sum + group.passed, 0),
    failed: groups.reduce((sum, group) => sum + group.failed, 0),
  });
}

/** Returns the counts of all severities, most severe first, even if they have no checks. */
export function bySeverity(groups: readonly Group[]): (CheckCounts & { severity: string })[] {
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
export function byObject<Brief, Of extends Counts>(
  groups: readonly Of[],
  idOf: (group: Of) => number | null,
  briefs: ReadonlyMap<number, Brief>,
): { readonly object: Brief | null; readonly sum: CheckCounts }[] {
  const named = Map.groupBy(groups, (group) => briefs.get(idOf(group) ?? 0) ?? null);
  return [...named].map(([object, some]) => ({ object, sum: sumOf(some) }))
    .sort((a, b) => b.sum.failed - a.sum.failed || Number(a.object === null) - Number(b.object === null));
}
