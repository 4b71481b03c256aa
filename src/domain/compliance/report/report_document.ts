/**
 * Writes a report as a CSV file, with a row for each severity, policy, tenant, owner and failing certificate.
 */

import type { Context } from "../../../auth/mod.ts";
import type { Download } from "../../../base/download.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import { MAX_FILTER_VALUES } from "../../../filters/mod.ts";
import { readRows } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import type { CheckCounts } from "../evaluate.ts";
import { failedPolicies, type FailingCertificate, type Report } from "./compliance_report.ts";
import type { ReportQuery } from "./read_query.ts";

const COLUMNS = [
  "section",
  "id",
  "name",
  "total_checks",
  "passed",
  "failed",
  "compliance_score",
  "valid_to",
  "tenant",
  "owner",
  "failed_policies",
] as const;

/**
 * Returns the file: the totals, each severity, policy, tenant and owner, and the page of failing certificates, with their
 * expiry, owners and failed policies. Two statements more than the report for each {@link MAX_FILTER_VALUES} of these.
 */
export function reportDocument(
  call: { readonly ctx: Context; readonly query: ReportQuery },
  report: Report,
): Download {
  const { mediaType, extension, writer } = FORMATS.csv;
  return {
    mediaType,
    fileName: `compliance-report.${extension}`,
    text: writeDocument(writer(COLUMNS), rowsOf(call, report)),
  };
}

/** What a row says about a failing certificate besides its counts. */
type Details = Pick<ExportRow, "valid_to" | "tenant" | "owner" | "failed_policies">;

async function readDetails(
  call: { readonly ctx: Context; readonly query: ReportQuery },
  failing: readonly FailingCertificate[],
): Promise<ReadonlyMap<number, Details>> {
  const ids = failing.flatMap(({ certificate }) => certificate === null ? [] : [certificate.id]);
  if (ids.length === 0) return new Map();
  const params = { id: ids, archived: "any", limit: ids.length };
  const fields = ["id", "valid_to", "tenant", "owner"] as const;
  const [{ rows }, policies] = await Promise.all([
    readRows(call.ctx, certificates, { params, fields }),
    failedPolicies(call, ids),
  ]);
  return new Map(rows.map(({ id, valid_to, tenant, owner }) => [id, {
    valid_to,
    tenant: tenant?.display ?? null,
    owner: owner?.contact.display ?? null,
    failed_policies: policies.get(id) ?? null,
  }]));
}

async function* rowsOf(
  call: { readonly ctx: Context; readonly query: ReportQuery },
  report: Report,
): AsyncGenerator<ExportRow[]> {
  yield [
    row("overall", {}, report),
    ...report.by_severity.map((one) => row("severity", { name: one.severity }, one)),
    ...report.by_policy.map((one) => row("policy", one.policy ?? {}, one)),
    ...report.by_tenant.map((one) => row("tenant", one.tenant ?? {}, one)),
    ...report.by_owner.map((one) => row("owner", one.owner ?? {}, one)),
  ];
  const { results } = report.failing_certificates;
  for (let start = 0; start < results.length; start += MAX_FILTER_VALUES) {
    const some = results.slice(start, start + MAX_FILTER_VALUES);
    const details = await readDetails(call, some);
    yield some.map((one) => {
      const { certificate } = one;
      const named = certificate === null ? {} : { id: certificate.id, name: certificate.common_name };
      return { ...row("certificate", named, one), ...details.get(certificate?.id ?? 0) };
    });
  }
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
