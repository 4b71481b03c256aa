/** The page of the compliance report. */

import { numberText } from "../../../base/amounts.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { STATUSES } from "../../../domain/certificates/mod.ts";
import {
  ANY_STATUS,
  checks,
  complianceReport,
  readReportQuery,
  type Report,
  type ReportQuery,
  withToday,
} from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { loadStillUsed, StillUsed } from "../certificates/mod.ts";
import { EmptyState, ErrorSummary, Form, type Html, Icon, withQuery } from "../../kit/components/mod.ts";
import { fieldErrorsOf } from "../../messages.ts";
import {
  activeFilters,
  type Filter,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
  redirectToClean,
} from "../../kit/mod.ts";
import { page } from "../../shell/mod.ts";
import { FailingCertificates, failingRows } from "./failing_certificates.tsx";
import { DIVISION, Parts } from "./report_parts.tsx";
import { mayCheckMany, readUnchecked, scopeOf } from "./scope.ts";

/** Renders `GET /compliance/?<filters of checks>&tenant_id=3&by=owner`. */
export async function reportPage(call: Call): Promise<Response> {
  const clean = await redirectToClean(call, checks);
  if (clean !== undefined) return clean;
  const whole = call.url;
  const url = withFiltersOnly(whole);
  const printed = whole.searchParams.has(PRINT);
  const read = readQuery(call, url, printed ? PRINTED_ROWS : PAGE_SIZE);
  const errors = "errors" in read ? read.errors : {};
  const [report, filters] = await Promise.all([
    "errors" in read ? undefined : complianceReport({ ctx: call.ctx, query: read.query }),
    reportFilters(call),
  ]);
  const shown = report === undefined || "errors" in read
    ? undefined
    : { report: withCurrentScores(report, read.query, call.ctx.clock.now()), query: read.query };
  const scope = shown === undefined ? undefined : scopeOf(shown.query);
  const [active, failing, open, used] = await Promise.all([
    activeFilters(call, { url, resource: checks, filters }),
    shown === undefined ? [] : failingRows(call, shown),
    readUnchecked(call, scope),
    loadStillUsed(call, scope?.params, printed ? PRINTED_USED : undefined),
  ]);
  return page(
    call,
    {
      title: "Compliance report",
      actions: (
        <>
          {report === undefined || report.total_checks === 0 ? null : (
            <>
              {printed
                ? (
                  <>
                    <a role="button" class="secondary" href={withQuery(whole, { [PRINT]: null })}>
                      Back to the report
                    </a>
                    <button type="button" data-print hidden>Print</button>
                  </>
                )
                : (
                  <a
                    role="button"
                    class="secondary print-link"
                    href={withQuery(whole, { [PRINT]: "true", limit: null, offset: null })}
                  >
                    Print
                  </a>
                )}
              <a role="button" class="secondary" href={`/compliance/download/${url.search}`}>
                <Icon name="download" />Export CSV
              </a>
            </>
          )}
          {printed || open === undefined || open.count === 0 || !mayCheckMany(call)
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
      {printed ? null : (
        <div class="list-bar">
          <FilterForm url={url} filters={filters} errors={errors} />
        </div>
      )}
      <FilterChips url={url} active={active} />
      {shown === undefined ? null : shown.report.total_checks === 0
        ? (
          <>
            <StillUsed call={call} kinds={used} />
            <NothingChecked url={url} />
          </>
        )
        : (
          <>
            <Parts {...shown} call={call} url={whole} open={open} printed={printed}>
              <StillUsed
                call={call}
                kinds={used}
                {...(printed ? { shown: PRINTED_USED } : {})}
              />
            </Parts>
            <FailingCertificates {...shown} call={call} rows={failing} url={whole} printed={printed} />
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

/** Returns the URL with the filters only, without the parameters of the page. */
function withFiltersOnly(given: URL): URL {
  const url = new URL(given);
  for (const name of [DIVISION, PRINT]) if (url.searchParams.has(name)) url.searchParams.delete(name);
  return url;
}

/** The parameter for a version with more certificates that is printed. */
const PRINT = "print";
/** Numbers of certificates of that version, which a page has space for. */
const [PRINTED_ROWS, PRINTED_USED] = [100, 25];

/** Certificates on a page of the report unless the URL has a limit. The charts are on the same page. */
const PAGE_SIZE = 12;

function readQuery({ ctx }: Call, url: URL, rows: number): { query: ReportQuery } | { errors: FieldErrors } {
  const params = new URLSearchParams(url.search);
  if (!params.has("limit")) params.set("limit", String(rows));
  try {
    return { query: readReportQuery(params, ctx) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
    return { errors: fieldErrorsOf(error) };
  }
}

const STATUS: Filter = {
  name: "status",
  label: "Status",
  unset: "in use",
  options: [...STATUSES, ANY_STATUS].map((status) => [status, status]),
};

/** Returns filters of checks, and of the tenant, owner and status of their certificates. */
async function reportFilters(call: Call): Promise<readonly Filter[]> {
  const filters = ["tenant_id", "owner", "policy_id", "policy_type", "severity"];
  const [tenant, owner, ...others] = await loadFilters(call, { resource: checks, filters });
  return [tenant, owner, STATUS, ...others].filter((one) => one !== undefined);
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
