/** Failing certificates, most severe failures first. */

import { where } from "../../../db/mod.ts";
import { type SQL, sql } from "drizzle-orm";

/** The counts of a failing certificate: failures by severity, and passed checks. */
export interface FailingRow {
  readonly certificate_id: number;
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
  readonly passed: number;
}

/** Numbers of certificates with checks, and of those that fail one. */
export type CheckedCounts = Record<"checked" | "failing", number>;

/** Counts certificates with checks, and how many of them fail at least one. */
export function checkedCountsSql(condition: SQL | undefined): SQL<CheckedCounts> {
  return sql<CheckedCounts>`SELECT count(*) AS checked, coalesce(sum(fails), 0) AS failing FROM (
    SELECT max(result = 'fail') AS fails FROM compliance_checks${where(condition)} GROUP BY certificate_id)`;
}

/**
 * Selects a page of failing certificates: those with the most critical failures first, then by warnings, then
 * by infos.
 */
export function failingSql(
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
