/** Compliance: policies, their results, and the report on them. */

export { bulkCheckCertificates, checkCertificate } from "./check_certificates.ts";
export { type Check, checks } from "./checks.ts";
export { type DayScore, storeDailyScore, withToday } from "./daily_score.ts";
export { policies, type Policy } from "./policies.ts";
export {
  countUnchecked,
  type PolicyResults,
  policyResults,
  type UncheckedNumbers,
} from "./policy_results.ts";
export {
  addReportFilters,
  ANY_STATUS,
  readReportQuery,
  REPORT_FORMATS,
  type ReportQuery,
} from "./report/read_query.ts";
export { complianceReport, complianceTotals, type Report } from "./report/compliance_report.ts";
export { reportDocument } from "./report/report_document.ts";
export { CheckCounts } from "./evaluate.ts";
export { describeParameters, POLICY_TYPES, type PolicyType, ruleOf } from "./rules/mod.ts";
