/** The dashboard. */

import { isGranted } from "../../auth/mod.ts";
import { certificates, EXPIRY_STATUSES, STATUSES } from "../../domain/certificates/mod.ts";
import { endpoints, PROBLEMS } from "../../domain/endpoints/mod.ts";
import { inventoryOverview, type Overview, type Share } from "../../domain/system/overview/mod.ts";
import type { Call } from "../call.ts";
import { Expiry, InstalledOn, NameLink, Owner, withInstalledOn } from "../certificates/mod.ts";
import { EmptyState, type Html, NumbersTile, Table, Tile } from "../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { FirstSteps } from "./first_steps.tsx";
import { MonthChart, WeekChart } from "./forecast_chart.tsx";
import { BarList } from "./bar_list.tsx";
import { TrendChart } from "./trend_chart.tsx";

/** Number of certificates in the list of those that expire next. */
const NEXT = 10;
/** Maximum of expired certificates in this list, unless fewer expire next. */
const MAX_OVERDUE = 4;

/** Renders the dashboard: numbers, next expiries, compliance. */
export async function dashboard(call: Call): Promise<Response> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) {
    return page(
      call,
      { title: "Dashboard" },
      <EmptyState text="You do not have permission to view certificates. Ask an administrator for access." />,
    );
  }
  const [overview, next, problems] = await Promise.all([
    inventoryOverview(call),
    expiringNext(call),
    countProblems(call),
  ]);
  if (overview.total === 0) {
    return page(
      call,
      { title: "Dashboard" },
      <FirstSteps call={call} />,
    );
  }
  return page(
    call,
    { title: "Dashboard" },
    <>
      <Tiles overview={overview} problems={problems} />
      <NextExpiries rows={next} />
      <div class="columns">
        <section class="card" aria-labelledby="weeks">
          <div class="card-head">
            <h2 id="weeks">Expiries in the next 90 days, by week</h2>
            <Choice url={call.url} />
          </div>
          <WeekChart weeks={overview.weeks} by={overview.weeks_by[divisionOf(call.url)]} />
        </section>
        <section class="card" aria-labelledby="forecast">
          <h2 id="forecast">Expiries in the next 12 months</h2>
          <MonthChart months={overview.forecast} />
        </section>
      </div>
      <div class="columns">
        <div>
          <Compliance overview={overview} />
          <section class="card" aria-labelledby="authorities">
            <h2 id="authorities">Authorities</h2>
            <BarList shares={overview.authorities} to={liveList} />
          </section>
        </div>
        <div>
          <section class="card" aria-labelledby="keys">
            <h2 id="keys">Keys</h2>
            <BarList shares={overview.keys} to={liveList} />
          </section>
          <Statuses overview={overview} />
        </div>
      </div>
    </>,
  );
}

/** Renders expired certificates without a successor, latest first, then those that expire next. */
async function expiringNext(call: Call): Promise<readonly ApiObject[]> {
  const fields = [
    "id",
    "display",
    "common_name",
    "tenant",
    "owner",
    "valid_to",
    "days_remaining",
    "expiry_status",
    "assignment_count",
  ];
  const [overdue, next] = await Promise.all([
    readRows(call, certificates, { params: { overdue: "true", ordering: "-valid_to", limit: NEXT }, fields }),
    readRows(call, certificates, {
      params: { status: ["active", "pending"], expired: "false", ordering: "valid_to", limit: NEXT },
      fields,
    }),
  ]);
  const first = overdue.rows.slice(0, Math.max(MAX_OVERDUE, NEXT - next.rows.length));
  return await withInstalledOn(call, [...first, ...next.rows.slice(0, NEXT - first.length)]);
}

const LIVE = "status=active&status=pending";

/** The list of active and pending certificates that a share counts. */
function liveList({ query }: Share): string | undefined {
  return query === undefined ? undefined : `/certificates/?${query}&${LIVE}`;
}

/** How the expiries of a week are divided. */
const DIVISIONS = { tenant: "Tenant", issuer: "Issuer" } as const;

function divisionOf(url: URL): keyof typeof DIVISIONS {
  return url.searchParams.get("by") === "issuer" ? "issuer" : "tenant";
}

function Choice({ url }: { url: URL }): Html {
  const chosen = divisionOf(url);
  return (
    <nav class="choice" aria-label="Divide by">
      {Object.entries(DIVISIONS).map(([name, label]) => (
        <a
          href={name === "tenant" ? "/#weeks" : `/?by=${name}#weeks`}
          aria-current={name === chosen ? "true" : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

const EXPIRY_WORDS = {
  critical: ["Critical", "expire very soon", "bad"],
  warning: ["Warning", "expire soon", "warn"],
  ok: ["OK", "expire later", "good"],
} as const;

/** A group of endpoints that need attention. */
interface ProblemCount {
  readonly value: number;
  readonly label: string;
  readonly path: string;
}

/** Counts endpoints that need attention, by group; undefined where the user may see none. */
async function countProblems(call: Call): Promise<readonly ProblemCount[] | undefined> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return undefined;
  return await Promise.all(PROBLEMS.map(async (problem) => {
    const { count } = await readRows(call, endpoints, { params: { problem, limit: 1 }, fields: ["id"] });
    return { value: count, label: problem, path: `/endpoints/?problem=${problem}` };
  }));
}

function Tiles(
  { overview, problems }: { overview: Overview; problems: readonly ProblemCount[] | undefined },
): Html {
  const { live, by_expiry, overdue, overdue_assigned, unassigned, compliance } = overview;
  return (
    <div class="cards tiles">
      <Tile
        title="Expired"
        value={overdue}
        note={overdue === 0 || overdue_assigned === null
          ? "without a successor"
          : `without a successor, ${overdue_assigned.toLocaleString("en")} still installed`}
        path="/certificates/?overdue=true"
        tone={overdue === 0 ? "plain" : "bad"}
      />
      {EXPIRY_STATUSES.filter((status) => status !== "expired").map((status) => {
        const [title, note, tone] = EXPIRY_WORDS[status];
        const path = `/certificates/?expiry_status=${status}&${LIVE}`;
        const count = by_expiry[status];
        return (
          <Tile title={title} value={count} note={note} path={path} tone={count === 0 ? "plain" : tone} />
        );
      })}
      <Tile
        title="In use"
        value={live}
        note="active or pending"
        path={`/certificates/?${LIVE}`}
      />
      {unassigned === null ? null : (
        <Tile
          title="Unassigned"
          value={unassigned}
          note="not assigned to any object"
          path={`/certificates/?has_assignments=false&${LIVE}`}
        />
      )}
      {problems === undefined ? null : (
        <NumbersTile
          title="Endpoints"
          numbers={problems}
          tone={problems.every(({ value }) => value === 0) ? "plain" : "warn"}
        />
      )}
      {compliance === null ? null : (
        <Tile
          title="Compliance"
          value={compliance.total_checks === 0 ? "–" : `${compliance.score} %`}
          note={compliance.total_checks === 0 ? "no checks yet" : "of checks passed"}
          path="/compliance/"
        />
      )}
    </div>
  );
}

function NextExpiries({ rows }: { rows: readonly ApiObject[] }): Html {
  return (
    <section aria-labelledby="next">
      {rows.length === 0 ? <EmptyState text="No active certificates." /> : (
        <Table
          caption="Next to expire"
          dense
          rows={rows}
          columns={[
            {
              label: "Next to expire",
              cell: (row) => <NameLink row={row} />,
            },
            { label: "Owner", cell: (row) => <Owner row={row} />, wide: true },
            { label: "Installed on", cell: (row) => <InstalledOn row={row} />, wide: true },
            {
              label: "Tenant",
              cell: (row) => row.tenant === null ? "" : <ObjectLink brief={row.tenant} />,
              wide: true,
            },
            { label: "Expires", cell: (row) => <Expiry row={row} /> },
          ]}
        />
      )}
      <p class="more">
        <a id="next" href={`/certificates/?${LIVE}&expired=false&ordering=valid_to`}>View all by expiry</a>
      </p>
    </section>
  );
}

function Compliance({ overview: { compliance } }: { overview: Overview }): Html | null {
  if (compliance === null) return null;
  return (
    <section class="card" aria-labelledby="compliance">
      <h2 id="compliance">Compliance</h2>
      {compliance.total_checks === 0
        ? (
          <p class="faint">
            No compliance checks yet. <a href="/policies/">Policies</a> define what is checked.
          </p>
        )
        : (
          <p>
            <strong>{compliance.score} %</strong> of {compliance.total_checks.toLocaleString("en")}{" "}
            checks passed;{" "}
            <a href="/compliance/">
              {compliance.failing.toLocaleString("en")}{" "}
              {compliance.failing === 1 ? "certificate fails" : "certificates fail"}
            </a>.
          </p>
        )}
      {compliance.trend === null ? null : (
        <a href="/compliance/#trend">
          <TrendChart days={compliance.trend} />
        </a>
      )}
    </section>
  );
}

function Statuses({ overview }: { overview: Overview }): Html {
  return (
    <section class="card" aria-labelledby="statuses">
      <h2 id="statuses">Status of all {overview.total.toLocaleString("en")} certificates</h2>
      <BarList
        shares={STATUSES.map((status) => ({ label: status, count: overview.by_status[status] ?? 0 }))
          .filter(({ count }) => count > 0)}
        to={({ label }) => `/certificates/?status=${label}`}
      />
    </section>
  );
}
