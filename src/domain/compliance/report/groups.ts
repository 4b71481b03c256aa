/** Results counted by severity, policy and tenant: one pass over the checks, and sums of that. */

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../../resource/mod.ts";
import { SEVERITIES } from "../policies.ts";
import { type Tally, tally } from "../score.ts";

/** Results that have policy, tenant and severity in common. */
export interface Group {
  readonly policy_id: number;
  readonly tenant_id: number | null;
  readonly severity: string;
  readonly passed: number;
  readonly failed: number;
}

/** The statement that counts. */
export function groupsSql(condition: SQL | undefined): SQL {
  return sql`SELECT compliance_checks.policy_id AS policy_id, certificates.tenant_id AS tenant_id,
      compliance_checks.severity AS severity,
      sum(compliance_checks.result = 'pass') AS passed, sum(compliance_checks.result = 'fail') AS failed
    FROM compliance_checks CROSS JOIN certificates ON certificates.id = compliance_checks.certificate_id${
    where(condition)
  } GROUP BY 1, 2, 3`;
}

/** The tally of all groups. */
export function sumOf(groups: readonly Group[]): Tally {
  return tally({
    passed: groups.reduce((sum, group) => sum + group.passed, 0),
    failed: groups.reduce((sum, group) => sum + group.failed, 0),
  });
}

/** A tally for each severity, worst first, with or without checks. */
export function bySeverity(groups: readonly Group[]): (Tally & { severity: string })[] {
  return SEVERITIES.map((severity) => ({
    severity,
    ...sumOf(groups.filter((group) => group.severity === severity)),
  }));
}

/**
 * A tally for each object that `idOf` names, most failures first. Those that are not among `briefs` (hidden ones, and
 * none at all) are one: null, the last among equals.
 */
export function byObject<Brief>(
  groups: readonly Group[],
  idOf: (group: Group) => number | null,
  briefs: ReadonlyMap<number, Brief>,
): { readonly object: Brief | null; readonly sum: Tally }[] {
  const named = Map.groupBy(groups, (group) => briefs.get(idOf(group) ?? 0) ?? null);
  return [...named].map(([object, some]) => ({ object, sum: sumOf(some) }))
    .sort((a, b) => b.sum.failed - a.sum.failed || Number(a.object === null) - Number(b.object === null));
}
