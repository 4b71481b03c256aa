/** The page of the compliance report. */

import { AppError, type FieldErrors } from "../../base/errors.ts";
import { STATUSES } from "../../domain/certificates/mod.ts";
import {
  ANY_STATUS,
  checks,
  complianceReport,
  readReportQuery,
  type Report,
  type ReportQuery,
} from "../../domain/compliance/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import { TrendChart } from "../dashboard/mod.ts";
import { EmptyState, ErrorSummary, type Html, Icon, Tile } from "../components/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import { choicesFor, cleanUrl, type Filter, FilterForm, loadFilters } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { FailingCertificates } from "./failing_certificates.tsx";
import { ScoreBars } from "./score_bars.tsx";

/** `GET /compliance/?<filters of checks>&tenant_id=3`. */
export async function reportPage(call: Call): Promise<Response> {
  const url = cleanUrl(call.url);
  const read = readQuery(call, url);
  const errors = "errors" in read ? read.errors : {};
  const [report, filters] = await Promise.all([
    "errors" in read ? undefined : complianceReport({ ctx: call.ctx, query: read.query }),
    reportFilters(call),
  ]);
  return page(
    call,
    {
      title: "Compliance report",
      actions: report === undefined || report.total_checks === 0
        ? null
        : (
          <a role="button" class="secondary" href={`/compliance/download/${url.search}`}>
            <Icon name="download" />Export CSV
          </a>
        ),
      ...(report === undefined ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary errors={errors} shown={filters.map(({ name }) => name)} />
      <FilterForm url={url} searchable={false} filters={filters} errors={errors} />
      {report === undefined || "errors" in read
        ? null
        : report.total_checks === 0
        ? <NothingChecked url={url} />
        : <Parts report={report} url={url} query={read.query} />}
    </>,
  );
}

function readQuery({ ctx }: Call, url: URL): { query: ReportQuery } | { errors: FieldErrors } {
  try {
    return { query: readReportQuery(url.searchParams, ctx) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { errors: fieldErrorsOf(error) };
  }
}

const STATUS: Filter = {
  name: "status",
  unset: "In use",
  options: [...STATUSES, ANY_STATUS].map((status) => [status, status]),
};

/** Filters of checks, and the tenant and status of their certificates. */
async function reportFilters(call: Call): Promise<readonly Filter[]> {
  const [own, tenantOptions] = await Promise.all([
    loadFilters(call, { resource: checks, filters: ["policy_id", "policy_type", "severity"] }),
    choicesFor(call, tenants),
  ]);
  return [{ name: "tenant_id", options: tenantOptions }, STATUS, ...own];
}

function NothingChecked({ url }: { url: URL }): Html {
  return url.search === ""
    ? (
      <EmptyState text="No compliance checks yet. Policies define the requirements. Check certificates on their pages, or many at once in the list; from then on the score is recorded daily.">
        <a role="button" href={`/policies/`}>Policies</a>
        <a role="button" class="secondary" href="/certificates/">Certificates</a>
      </EmptyState>
    )
    : (
      <EmptyState text="No results match these filters.">
        <a href="/compliance/">Show the whole report</a>
      </EmptyState>
    );
}

function Parts({ report, url, query }: { report: Report; url: URL; query: ReportQuery }): Html {
  const { trend } = report;
  return (
    <>
      <Tiles report={report} />
      <div class="columns">
        <section class="card" aria-labelledby="severities">
          <h2 id="severities">By severity</h2>
          <ScoreBars
            scores={report.by_severity.filter((one) => one.total_checks > 0)
              .map((one) => ({
                ...one,
                label: one.severity,
                path: `/checks/?severity=${one.severity}&result=fail${ofStatuses(query)}`,
              }))}
          />
        </section>
        {trend === null || trend.length < 2 ? null : (
          <section class="card" aria-labelledby="trend">
            <h2 id="trend">Score of all certificates in use</h2>
            <TrendChart days={trend} />
          </section>
        )}
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="policies">
          <h2 id="policies">By policy</h2>
          <ScoreBars
            scores={report.by_policy.map(({ policy, ...one }) => ({
              ...one,
              label: policy === null ? "not visible to you" : String(policy.display),
              ...(policy === null ? {} : { path: `/policies/${policy.id}/` }),
            }))}
          />
        </section>
        <section class="card" aria-labelledby="tenants">
          <h2 id="tenants">By tenant</h2>
          <ScoreBars
            scores={report.by_tenant.map(({ tenant, ...one }) => ({
              ...one,
              label: tenant === null ? "No tenant" : String(tenant.display),
              ...(tenant === null ? {} : { path: `/compliance/?tenant_id=${tenant.id}` }),
            }))}
          />
        </section>
      </div>
      <FailingCertificates report={report} url={url} query={query} />
    </>
  );
}

/** Narrows a list of checks to certificates of the report's statuses. */
function ofStatuses({ statuses }: ReportQuery): string {
  return (statuses ?? []).map((status) => `&certificate__status=${status}`).join("");
}

function Tiles({ report }: { report: Report }): Html {
  const { compliance_score, total_checks, failed, certificates_checked, certificates_failing } = report;
  return (
    <div class="cards">
      <Tile
        title="Score"
        value={`${compliance_score} %`}
        note={total_checks === 1 ? "1 result" : `${counted(total_checks)} results`}
      />
      <Tile
        title="Certificates checked"
        value={certificates_checked}
        note={certificates_checked === 1 ? "has results" : "have results"}
      />
      <Tile
        title="Certificates failing"
        value={certificates_failing}
        note={failed === 1 ? "1 failed check" : `${counted(failed)} failed checks`}
        tone={certificates_failing > 0 ? "bad" : "good"}
      />
    </div>
  );
}

function counted(count: number): string {
  return count.toLocaleString("en");
}
