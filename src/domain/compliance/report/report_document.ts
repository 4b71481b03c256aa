/**
 * Writes a report as a CSV file, with a row for each severity, policy, tenant, owner and failing certificate.
 */

import type { Download } from "../../../base/download.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import type { CheckCounts } from "../evaluate.ts";
import type { Report } from "./compliance_report.ts";

const COLUMNS = [
  "section",
  "id",
  "name",
  "total_checks",
  "passed",
  "failed",
  "compliance_score",
] as const;

/**
 * Returns the file: the totals, each severity, policy, tenant and owner, and the page of failing
 * certificates.
 */
export function reportDocument(report: Report): Download {
  const { mediaType, extension, writer } = FORMATS.csv;
  return {
    mediaType,
    fileName: `compliance-report.${extension}`,
    text: writeDocument(writer(COLUMNS), onePage(report)),
  };
}

async function* onePage(report: Report): AsyncGenerator<ExportRow[]> {
  yield await Promise.resolve(rowsOf(report));
}

function rowsOf(report: Report): ExportRow[] {
  return [
    row("overall", {}, report),
    ...report.by_severity.map((one) => row("severity", { name: one.severity }, one)),
    ...report.by_policy.map((one) => row("policy", one.policy ?? {}, one)),
    ...report.by_tenant.map((one) => row("tenant", one.tenant ?? {}, one)),
    ...report.by_owner.map((one) => row("owner", one.owner ?? {}, one)),
    ...report.failing_certificates.results.map((one) => {
      const { certificate } = one;
      return row(
        "certificate",
        certificate === null ? {} : { id: certificate.id, name: certificate.common_name },
        one,
      );
    }),
  ];
}

function row(
  section: string,
  { id, name }: { readonly id?: number; readonly name?: unknown },
  sum: CheckCounts,
): ExportRow {
  return {
    section,
    id: typeof id === "number" ? id : null,
    name: typeof name === "string" ? name : null,
    total_checks: sum.total_checks,
    passed: sum.passed,
    failed: sum.failed,
    compliance_score: sum.compliance_score,
  };
}
