/** The numbers and charts of the compliance report. */

import type { CheckCounts, Report, ReportQuery } from "../../../domain/compliance/mod.ts";
import type { Brief } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { TrendChart } from "../dashboard/mod.ts";
import { Choice, type Content, type Html, truncate, withQuery } from "../../kit/components/mod.ts";
import { SEVERITY_TONES } from "./failing_certificates.tsx";
import { checksPath, type UncheckedCount } from "./scope.ts";
import { endsNow, type Score, ScoreBars, worstFirst } from "./score_bars.tsx";
import { Tiles } from "./tiles.tsx";

/** The parameter with the division of the failures: by tenant, or by owner. */
export const DIVISION = "by";
const DIVISIONS = { tenant: "Tenant", owner: "Owner" } as const;

interface Shown {
  readonly report: Report;
  readonly query: ReportQuery;
  /** URL of the page. */
  readonly url: URL;
  /** Whether it is printed: then no chart has links or a table. */
  readonly printed: boolean;
}

export function Parts(
  { call, open, children, ...shown }: Shown & {
    call: Call;
    open: UncheckedCount | undefined;
    children: Content;
  },
): Html {
  const { report, query } = shown;
  return (
    <>
      <p class="print-only">
        Created at {report.generated_at.slice(0, 16).replace("T", " ")} UTC
      </p>
      <Tiles call={call} report={report} query={query} open={open} />
      {children}
      <div class="columns even">
        <div>
          <Severities {...shown} />
          <Policies {...shown} />
        </div>
        <div>
          <Trend {...shown} />
          <Divided {...shown} />
        </div>
      </div>
    </>
  );
}

/** Returns the list of the checks that a bar counts: the failed ones, or all if none has failed. */
function pathOf(
  query: ReportQuery,
  { failed }: CheckCounts,
  of: Readonly<Record<string, string | number>>,
): string {
  return checksPath(query, { ...of, ...(failed > 0 ? { result: "fail" } : {}) });
}

function Severities({ report, query }: Shown): Html {
  return (
    <section class="card" aria-labelledby="severities">
      <h2 id="severities">Failures by severity</h2>
      <ScoreBars
        scores={report.by_severity.filter((one) => one.total_checks > 0)
          .map((one) => ({
            ...one,
            label: SEVERITY_LABELS[one.severity] ?? one.severity,
            tone: SEVERITY_TONES[one.severity] ?? "plain",
            path: pathOf(query, one, { severity: one.severity }),
          }))}
      />
    </section>
  );
}

function Policies({ report, query, url }: Shown): Html {
  return (
    <section class="card" aria-labelledby="policies">
      <h2 id="policies">Failures by policy</h2>
      <ScoreBars
        scores={worstFirst(report.by_policy).map(({ policy, trend, ...one }) => ({
          ...one,
          label: policy === null ? "not visible to you" : policy.display,
          ...(policy === null ? {} : {
            path: pathOf(query, one, { policy_id: policy.id }),
            trend: { days: trend ?? [], path: withQuery(url, { policy_id: policy.id, offset: null }) },
          }),
        }))}
      />
    </section>
  );
}

/** Renders the trend of the whole inventory, or of the policy that the filters name. */
function Trend({ report, query, printed }: Shown): Html | null {
  const [single] = report.by_policy;
  const ofOne = single !== undefined && single.policy !== null && report.by_policy.length === 1 &&
      query.namesPolicies
    ? { days: single.trend ?? [], policy: single.policy }
    : undefined;
  const days = ofOne?.days ?? report.trend ?? [];
  if (days.length < 2) return null;
  return (
    <section class="card" aria-labelledby="trend">
      <h2 id="trend">
        {ofOne === undefined
          ? "Score of certificates in use"
          : <>Trend of {<NameOf brief={ofOne.policy} />}</>}
      </h2>
      {printed
        ? <TrendChart days={days} />
        : <TrendChart days={days} of={ofOne === undefined ? {} : { policy_id: String(ofOne.policy.id) }} />}
      {endsNow(days) ? null : <p class="faint">All certificates in use, without the filters.</p>}
    </section>
  );
}

/** Renders the failures by tenant or by owner. */
function Divided(shown: Shown): Html {
  const { url } = shown;
  const chosen = url.searchParams.get(DIVISION) === "owner" ? "owner" : "tenant";
  return (
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
      <ScoreBars scores={worstFirst(chosen === "tenant" ? byTenant(shown) : byOwner(shown))} />
    </section>
  );
}

function byTenant({ report, query }: Shown): (Score & CheckCounts)[] {
  return report.by_tenant.map(({ tenant, ...one }) => ({
    ...one,
    label: tenant === null ? "No tenant" : tenant.display,
    path: pathOf(query, one, { certificate__tenant_id: tenant === null ? "null" : tenant.id }),
  }));
}

function byOwner({ report, query }: Shown): (Score & CheckCounts)[] {
  return report.by_owner.map(({ owner, ...one }) => ({
    ...one,
    label: owner === null ? "No owner" : owner.display,
    path: pathOf(
      query,
      one,
      owner === null ? { certificate__has_owner: "false" } : { certificate__owner: owner.id },
    ),
  }));
}

const SEVERITY_LABELS: Readonly<Record<string, string>> = {
  critical: "Critical",
  warning: "Warning",
  info: "Info",
};

function NameOf({ brief }: { brief: Brief }): Html {
  return <bdi>{truncate(brief.display)}</bdi>;
}
