/** The page of the compliance report. */

import { counted, numberText, percentText } from "../../../base/amounts.ts";
import { AppError, type FieldErrors } from "../../../base/errors.ts";
import { memoize } from "../../../base/memoize.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { type FieldMap, type FilterField, mapIn } from "../../../filters/mod.ts";
import {
  ANY_STATUS,
  type CheckCounts,
  checks,
  complianceReport,
  readReportQuery,
  type Report,
  type ReportQuery,
  withToday,
} from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import {
  Choice,
  type Content,
  EmptyState,
  ErrorSummary,
  type Html,
  Icon,
  Section,
  Tile,
  withQuery,
} from "../../kit/components/mod.ts";
import { filterTarget } from "../../kit/filters/filter_description.ts";
import {
  activeFilters,
  cleanListUrl,
  FilterChips,
  FilterForm,
  labelsOfFilters,
  loadFilters,
  readReferences,
} from "../../kit/mod.ts";
import { fieldErrorsOf, sentenceOf } from "../../messages.ts";
import { page } from "../../shell/mod.ts";
import { loadStillUsed, StillUsed } from "../certificates/mod.ts";
import { TrendChart } from "../dashboard/charts.tsx";
import { FailingCertificates, failingRows, SEVERITY_TONES } from "./failing_certificates.tsx";
import {
  checksPath,
  nextCheck,
  readUnchecked,
  scopeOf,
  type UncheckedCount,
  uncheckedText,
} from "./scope.ts";
import { ScoreBars, worstFirst } from "./score_bars.tsx";

/** The parameter with the division of the failures: by tenant, or by owner. */
const DIVISION = "by";
const DIVISIONS = { tenant: "Tenant", owner: "Owner" } as const;
const SEVERITY_LABELS: Readonly<Record<string, string>> = {
  critical: "Critical",
  warning: "Warning",
  info: "Info",
};

/** Renders tiles, bars and the trend. */
function Parts(
  { call, report, query, url, open, children }: {
    call: Call;
    report: Report;
    query: ReportQuery;
    /** URL of the page. */
    url: URL;
    open: UncheckedCount | undefined;
    children: Content;
  },
): Html {
  const { compliance_score, total_checks, passed, certificates_checked, certificates_failing } = report;
  // The list of the checks that a bar counts: the failed ones, or all if none has failed.
  const pathOf = ({ failed }: CheckCounts, of: Readonly<Record<string, string | number>>): string =>
    checksPath(query, { ...of, ...(failed > 0 ? { result: "fail" } : {}) });
  // Without filters, the trend is that of the same checks.
  const days = report.trend === null || [...url.searchParams].length > 0
    ? []
    : withToday(report.trend, report, call.ctx.clock.now());
  const chosen = url.searchParams.get(DIVISION) === "owner" ? "owner" : "tenant";
  const divided = chosen === "tenant"
    ? report.by_tenant.map(({ tenant, ...one }) => ({
      ...one,
      label: tenant === null ? "No tenant" : tenant.display,
      path: pathOf(one, { certificate__tenant_id: tenant === null ? "null" : tenant.id }),
    }))
    : report.by_owner.map(({ owner, ...one }) => ({
      ...one,
      label: owner === null ? "No owner" : owner.display,
      path: pathOf(
        one,
        owner === null ? { certificate__has_owner: "false" } : { certificate__owner: owner.id },
      ),
    }));
  return (
    <>
      <p class="print-only">
        Created at {report.generated_at.slice(0, 16).replace("T", " ")} UTC
      </p>
      <div class="cards tiles">
        <Tile
          title="Score"
          value={percentText(compliance_score)}
          note={`${numberText(passed)} of ${numberText(total_checks)} checks pass`}
          path={checksPath(query, {})}
        />
        <Tile
          title="Failing"
          value={certificates_failing}
          note={`of ${counted(certificates_checked, "checked certificate")}`}
          path="#failing"
          tone={certificates_failing > 0 ? "bad" : "good"}
        />
        {open === undefined ? null : (
          <Tile
            title="Not checked"
            value={open.count}
            note={open.count === 0 ? "all results are current" : `${uncheckedText(open)}${nextCheck(call)}`}
            path={open.path}
            tone={open.count > 0 ? "warn" : "good"}
          />
        )}
      </div>
      {children}
      <div class="columns even">
        <div>
          <Section id="severities" title="Failures by severity" class="card">
            <ScoreBars
              scores={report.by_severity.filter((one) => one.total_checks > 0).map((one) => ({
                ...one,
                label: SEVERITY_LABELS[one.severity] ?? one.severity,
                tone: SEVERITY_TONES[one.severity] ?? "plain",
                path: pathOf(one, { severity: one.severity }),
              }))}
            />
          </Section>
          <Section id="policies" title="Failures by policy" class="card">
            <ScoreBars
              scores={worstFirst(report.by_policy).map(({ policy, ...one }) => ({
                ...one,
                label: policy === null ? "not visible to you" : policy.display,
                ...(policy === null ? {} : { path: pathOf(one, { policy_id: policy.id }) }),
              }))}
            />
          </Section>
        </div>
        <div>
          {days.length < 2 ? null : (
            <Section id="trend" title="Score of certificates in use" class="card">
              <TrendChart days={days} />
            </Section>
          )}
          <section class="card" aria-labelledby="divided">
            <div class="card-head">
              <h2 id="divided">Failures by {chosen}</h2>
              <Choice
                label="Divide by"
                chosen={chosen}
                choices={Object.entries(DIVISIONS).map(([name, label]) => ({
                  name,
                  label,
                  path: `${withQuery(url, { [DIVISION]: name === "tenant" ? null : name })}#divided`,
                }))}
              />
            </div>
            <ScoreBars scores={worstFirst(divided)} />
          </section>
        </div>
      </div>
    </>
  );
}

/** Renders `GET /compliance/?<filters of checks>&tenant_id=3&by=owner`. */
export async function reportPage(call: Call): Promise<Response> {
  const map = reportMap(mapIn(call.ctx, checks.map));
  const clean = await cleanListUrl(call, checks, map);
  if (clean instanceof Response) return clean;
  const whole = clean.url;
  // Without the parameter of the page.
  const url = new URL(withQuery(whole, { [DIVISION]: null }), whole);
  const read = readQuery(call, url);
  const errors = "errors" in read ? { ...read.errors, ...await unknownNames(call, url) } : {};
  const [report, filters] = await Promise.all([
    "errors" in read ? undefined : complianceReport({ ctx: call.ctx, query: read.query }),
    loadFilters(call, { resource: checks, map, clean: { ...clean, url } }),
  ]);
  const shown = report === undefined || "errors" in read ? undefined : { report, query: read.query };
  const scope = shown === undefined ? undefined : scopeOf(shown.query);
  const [active, failing, open, used] = await Promise.all([
    activeFilters(call, { url, resource: checks, filters }),
    shown === undefined ? [] : failingRows(call, shown),
    readUnchecked(call, scope),
    loadStillUsed(call, scope?.params),
  ]);
  return page(
    call,
    {
      title: "Compliance report",
      actions: (
        <>
          {report === undefined || report.total_checks === 0 ? null : (
            <>
              <button type="button" class="secondary print-link" data-print hidden>Print</button>
              <a role="button" class="secondary" href={`/compliance/download/${url.search}`}>
                <Icon name="download" />Export CSV
              </a>
            </>
          )}
        </>
      ),
      ...(report === undefined ? { status: 400 } : {}),
    },
    <>
      <ErrorSummary
        errors={errors}
        shown={filters.rows.map(({ name }) => name)}
        labels={labelsOfFilters(filters)}
      />
      <div class="list-bar">
        <FilterForm call={call} url={url} filters={filters} errors={errors} usual={USUAL} />
      </div>
      <FilterChips url={url} active={active} />
      {shown === undefined ? null : shown.report.total_checks === 0
        ? (
          <>
            <StillUsed call={call} kinds={used} />
            {url.search === ""
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
              )}
          </>
        )
        : (
          <>
            <Parts {...shown} call={call} url={whole} open={open}>
              <StillUsed call={call} kinds={used} />
            </Parts>
            <FailingCertificates {...shown} call={call} rows={failing} url={whole} />
          </>
        )}
    </>,
  );
}

/** Returns the errors of filters by id that have the name of no object, for which only an id would be expected. */
async function unknownNames(call: Call, url: URL): Promise<FieldErrors> {
  const found = await Promise.all(
    [...url.searchParams].map(async ([name, value]): Promise<[string, string[]][]> => {
      const filter = /^(\d+|null)$/.test(value) ? undefined : filterTarget(call, checks, name);
      if (filter?.by !== "id") return [];
      const [reading] = await readReferences(call, [filter.target], [value]);
      return reading !== undefined && "finding" in reading ? [[name, [sentenceOf(reading.finding)]]] : [];
    }),
  );
  return Object.fromEntries(found.flat());
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

/** Filters that come first in the form. */
const USUAL = ["tenant_id", "owner", "status", "policy_id", "policy_type", "severity"];

/** The filters of checks, and those of a report by the tenant, owner and status of the certificates. */
const reportMap = memoize((own: FieldMap): FieldMap => {
  const fields = Object.entries(certificates.map.fields)
    .filter(([name]) => ["tenant", "owner", "has_owner", "status"].includes(name))
    .map(([name, field]): [string, FilterField] => [
      name,
      field.kind === "choice" ? { ...field, choices: [...field.choices, ANY_STATUS] } : field,
    ]);
  return { ...own, fields: { ...own.fields, ...Object.fromEntries(fields) } };
});
