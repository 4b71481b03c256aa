/** Compliance: policies, their results, and the report on them. */

export { bulkCheckCertificates, checkCertificate } from "./check_certificates.ts";
export {
  type CheckedPolicy,
  checkRequest,
  failedPolicies,
  type FailedPolicy,
  type RequestCheck,
  type RequestedCertificate,
} from "./check_request.ts";
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
  complianceReport,
  complianceTotals,
  MAX_POLICY_TRENDS,
  readReportQuery,
  type Report,
  REPORT_FORMATS,
  reportDocument,
  type ReportQuery,
} from "./report/mod.ts";
export { ageOf, datedMessage, dayOf } from "./result_age.ts";
export { CheckCounts } from "./evaluate.ts";
export { describeParameters, POLICY_TYPES, type PolicyType, ruleOf } from "./rules/mod.ts";
