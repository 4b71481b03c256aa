/** The page of the compliance report. */

import { numberText } from "../../base/amounts.ts";
import type { Millis } from "../../base/clock.ts";
import { AppError, type FieldErrors } from "../../base/errors.ts";
import { STATUSES } from "../../domain/certificates/mod.ts";
import {
  ANY_STATUS,
  checks,
  complianceReport,
  readReportQuery,
  type Report,
  type ReportQuery,
  withToday,
} from "../../domain/compliance/mod.ts";
import { contacts } from "../../domain/contacts/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import { loadStillInstalled, StillInstalled } from "../certificates/mod.ts";
import { EmptyState, ErrorSummary, Form, type Html, Icon } from "../components/mod.ts";
import { fieldErrorsOf } from "../messages.ts";
import {
  activeFilters,
  choicesFor,
  cleanUrl,
  type Filter,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
} from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { FailingCertificates, failingRows } from "./failing_certificates.tsx";
import { DIVISION, Parts } from "./report_parts.tsx";
import { mayCheckMany, readUnchecked, scopeOf } from "./scope.ts";

/** Renders `GET /compliance/?<filters of checks>&tenant_id=3&by=owner`. */
export async function reportPage(call: Call): Promise<Response> {
  const whole = cleanUrl(call.url);
  const url = withoutDivision(whole);
  const read = readQuery(call, url);
  const errors = "errors" in read ? read.errors : {};
  const [report, filters] = await Promise.all([
    "errors" in read ? undefined : complianceReport({ ctx: call.ctx, query: read.query }),
    reportFilters(call),
  ]);
  const shown = report === undefined || "errors" in read
    ? undefined
    : { report: withCurrentScores(report, read.query, call.ctx.clock.now()), query: read.query };
  const scope = shown === undefined ? undefined : scopeOf(shown.query);
  const [active, failing, open, installed] = await Promise.all([
    activeFilters(call, { url, resource: checks, filters }),
    shown === undefined ? [] : failingRows(call, shown),
    readUnchecked(call, scope),
    loadStillInstalled(call, scope?.params),
  ]);
  return page(
    call,
    {
      title: "Compliance report",
      actions: (
        <>
          {report === undefined || report.total_checks === 0 ? null : (
            <>
              <button type="button" class="secondary" data-print hidden>Print</button>
              <a role="button" class="secondary" href={`/compliance/download/${url.search}`}>
                <Icon name="download" />Export CSV
              </a>
            </>
          )}
          {open === undefined || open.count === 0 || !mayCheckMany(call)
            ? null
            : (
              <Form call={call} action={`/compliance/check/${url.search}`} class="inline">
                <button type="submit">
                  <Icon name="check" />Check {numberText(open.count)} unchecked
                </button>
              </Form>
            )}
        </>
      ),
      ...(report === undefined ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary
        errors={errors}
        shown={filters.map(({ name }) => name)}
        labels={labelsOfFilters(call, checks, filters)}
      />
      <div class="list-bar">
        <FilterForm url={url} filters={filters} errors={errors} />
      </div>
      <FilterChips url={url} active={active} />
      {shown === undefined ? null : shown.report.total_checks === 0
        ? (
          <>
            <StillInstalled call={call} kinds={installed} />
            <NothingChecked url={url} />
          </>
        )
        : (
          <>
            <Parts {...shown} call={call} url={whole} open={open}>
              <StillInstalled call={call} kinds={installed} />
            </Parts>
            <FailingCertificates {...shown} call={call} rows={failing} url={whole} />
          </>
        )}
    </>,
  );
}

/**
 * Returns the report with trends that end with its own numbers, where these count the same checks: those of all
 * certificates in use, and of enabled or named policies.
 */
function withCurrentScores(report: Report, { listed }: ReportQuery, now: Millis): Report {
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

/** Returns the URL with the filters only, without the chosen division of the failures. */
function withoutDivision(given: URL): URL {
  const url = new URL(given);
  if (url.searchParams.has(DIVISION)) url.searchParams.delete(DIVISION);
  return url;
}

/** Certificates on a page of the report unless the URL has a limit. The charts are on the same page. */
const PAGE_SIZE = 12;

function readQuery({ ctx }: Call, url: URL): { query: ReportQuery } | { errors: FieldErrors } {
  const params = new URLSearchParams(url.search);
  if (!params.has("limit")) params.set("limit", String(PAGE_SIZE));
  try {
    return { query: readReportQuery(params, ctx) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { errors: fieldErrorsOf(error) };
  }
}

const STATUS: Filter = {
  name: "status",
  unset: "in use",
  options: [...STATUSES, ANY_STATUS].map((status) => [status, status]),
};

/** Returns filters of checks, and of the tenant, owner and status of their certificates. */
async function reportFilters(call: Call): Promise<readonly Filter[]> {
  const [own, tenantOptions, owners] = await Promise.all([
    loadFilters(call, { resource: checks, filters: ["policy_id", "policy_type", "severity"] }),
    choicesFor(call, tenants),
    choicesFor(call, contacts),
  ]);
  return [
    { name: "tenant_id", options: tenantOptions, target: tenants },
    { name: "owner", options: owners, target: contacts },
    STATUS,
    ...own,
  ];
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
