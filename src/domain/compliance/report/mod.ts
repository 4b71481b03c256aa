/** The report on compliance. */

export { complianceReport, complianceTotals, MAX_POLICY_TRENDS, type Report } from "./compliance_report.ts";
export {
  addReportFilters,
  ANY_STATUS,
  readReportQuery,
  REPORT_FORMATS,
  type ReportQuery,
} from "./read_query.ts";
export { reportDocument } from "./report_document.ts";
