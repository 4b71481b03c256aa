/** The scores of today in the trends of a report. */

import type { Millis } from "../../base/clock.ts";
import { type Report, type ReportQuery, withToday } from "../../domain/compliance/mod.ts";

/**
 * Returns the report with trends that end with its own numbers, where these count the same checks: those of all
 * certificates in use, and of enabled or named policies.
 */
export function withCurrentScores(report: Report, { listed }: ReportQuery, now: Millis): Report {
  const others = [...listed].filter(([name, value]) =>
    !(name === "policy_enabled" || name === "certificate__in_use") || value !== "true"
  );
  if (!others.every(([name]) => name === "policy_id") || !listed.has("certificate__in_use")) return report;
  return {
    ...report,
    ...(others.length > 0 || report.trend === null ? {} : { trend: withToday(report.trend, report, now) }),
    by_policy: report.by_policy.map((one) => ({
      ...one,
      trend: one.trend === null ? null : withToday(one.trend, one, now),
    })),
  };
}
