/** The page of the compliance report. */

import { numberText } from "../../base/amounts.ts";
import { AppError, type FieldErrors } from "../../base/errors.ts";
import { STATUSES } from "../../domain/certificates/mod.ts";
import {
  ANY_STATUS,
  type CheckCounts,
  checks,
  complianceReport,
  readReportQuery,
  type Report,
  type ReportQuery,
} from "../../domain/compliance/mod.ts";
import { contacts } from "../../domain/contacts/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Brief } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { loadStillInstalled, StillInstalled } from "../certificates/mod.ts";
import { TrendChart } from "../dashboard/mod.ts";
import {
  type Content,
  EmptyState,
  ErrorSummary,
  Form,
  type Html,
  Icon,
  truncate,
  withQuery,
} from "../components/mod.ts";
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
import { FailingCertificates, failingRows, SEVERITY_TONES } from "./failing_certificates.tsx";
import { checksPath, countUnchecked, mayCheckMany, scopeOf, type UncheckedCount } from "./scope.ts";
import { ScoreBars, worstFirst } from "./score_bars.tsx";
import { Tiles } from "./tiles.tsx";

/** Renders `GET /compliance/?<filters of checks>&tenant_id=3`. */
export async function reportPage(call: Call): Promise<Response> {
  const url = cleanUrl(call.url);
  const read = readQuery(call, url);
  const errors = "errors" in read ? read.errors : {};
  const [report, filters] = await Promise.all([
    "errors" in read ? undefined : complianceReport({ ctx: call.ctx, query: read.query }),
    reportFilters(call),
  ]);
  const shown = report === undefined || "errors" in read ? undefined : { report, query: read.query };
  const scope = shown === undefined ? undefined : scopeOf(shown.query);
  const [active, failing, open, installed] = await Promise.all([
    activeFilters(call, { url, resource: checks, filters }),
    shown === undefined ? [] : failingRows(call, shown),
    countUnchecked(call, scope?.unchecked),
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
            <Parts {...shown} call={call} url={url} open={open}>
              <StillInstalled call={call} kinds={installed} />
            </Parts>
            <FailingCertificates {...shown} call={call} rows={failing} url={url} />
          </>
        )}
    </>,
  );
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

function Parts(
  { call, report, url, query, open, children }: {
    call: Call;
    report: Report;
    url: URL;
    query: ReportQuery;
    open: UncheckedCount | undefined;
    children: Content;
  },
): Html {
  const [single] = report.by_policy;
  const ofOne = single !== undefined && single.policy !== null && report.by_policy.length === 1 &&
      query.namesPolicies
    ? { days: single.trend ?? [], policy: single.policy }
    : undefined;
  const days = ofOne?.days ?? report.trend ?? [];
  const list = (sum: CheckCounts, of: Readonly<Record<string, string | number>>): string =>
    checksPath(query, { ...of, ...(sum.failed > 0 ? { result: "fail" } : {}) });
  return (
    <>
      <p class="print-only">
        Created at {report.generated_at.slice(0, 16).replace("T", " ")} UTC
      </p>
      <Tiles call={call} report={report} query={query} open={open} />
      {children}
      <div class="columns even">
        <div>
          <section class="card" aria-labelledby="severities">
            <h2 id="severities">Failures by severity</h2>
            <ScoreBars
              scores={report.by_severity.filter((one) => one.total_checks > 0)
                .map((one) => ({
                  ...one,
                  label: SEVERITY_LABELS[one.severity] ?? one.severity,
                  tone: SEVERITY_TONES[one.severity] ?? "plain",
                  path: list(one, { severity: one.severity }),
                }))}
            />
          </section>
          {days.length < 2 ? null : (
            <section class="card" aria-labelledby="trend">
              <h2 id="trend">
                {ofOne === undefined
                  ? "Score of certificates in use"
                  : <>Trend of {<NameOf brief={ofOne.policy} />}</>}
              </h2>
              <TrendChart
                days={days}
                of={ofOne === undefined ? {} : { policy_id: String(ofOne.policy.id) }}
              />
            </section>
          )}
        </div>
        <div>
          <section class="card" aria-labelledby="policies">
            <h2 id="policies">Failures by policy</h2>
            <ScoreBars
              scores={worstFirst(report.by_policy).map(({ policy, trend, ...one }) => ({
                ...one,
                label: policy === null ? "not visible to you" : String(policy.display),
                ...(policy === null ? {} : {
                  path: list(one, { policy_id: policy.id as number }),
                  trend: {
                    days: trend ?? [],
                    path: withQuery(url, { policy_id: policy.id as number, offset: null }),
                  },
                }),
              }))}
            />
          </section>
        </div>
      </div>
      <Shares report={report} list={list} />
    </>
  );
}

/** Renders the failures by tenant and by owner. */
function Shares(
  { report: { by_tenant, by_owner }, list }: {
    report: Report;
    list: (sum: CheckCounts, of: Readonly<Record<string, string | number>>) => string;
  },
): Html {
  return (
    <div class="columns even">
      <section class="card" aria-labelledby="tenants">
        <h2 id="tenants">Failures by tenant</h2>
        <ScoreBars
          scores={worstFirst(by_tenant).map(({ tenant, ...one }) => ({
            ...one,
            label: tenant === null ? "No tenant" : String(tenant.display),
            path: list(one, { certificate__tenant_id: tenant === null ? "null" : tenant.id as number }),
          }))}
        />
      </section>
      <section class="card" aria-labelledby="owners">
        <h2 id="owners">Failures by owner</h2>
        <ScoreBars
          scores={worstFirst(by_owner).map(({ owner, ...one }) => ({
            ...one,
            label: owner === null ? "No owner" : String(owner.display),
            path: list(
              one,
              owner === null
                ? { certificate__has_owner: "false" }
                : { certificate__owner: owner.id as number },
            ),
          }))}
        />
      </section>
    </div>
  );
}

const SEVERITY_LABELS: Readonly<Record<string, string>> = {
  critical: "Critical",
  warning: "Warning",
  info: "Info",
};

function NameOf({ brief }: { brief: Brief }): Html {
  return <bdi>{truncate(String(brief.display))}</bdi>;
}
