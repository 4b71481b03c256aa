/** The dashboard. */

import { raw } from "hono/html";
import { counted, numberText, percentText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { certificates, STATUSES } from "../../../domain/certificates/mod.ts";
import { cacheUntilChange, viewKey } from "../../../resource/mod.ts";
import { endpoints, PROBLEMS } from "../../../domain/endpoints/mod.ts";
import { inventoryOverview, type Overview, type Share } from "../../../domain/system/overview/mod.ts";
import type { Call } from "../../call.ts";
import {
  certificateColumns,
  countServingReplaced,
  type ListedCertificate,
  loadStillUsed,
  readListed,
  StillUsed,
  UrgentCertificates,
  withAssignedTo,
} from "../certificates/mod.ts";
import { Choice, EmptyState, type Html, Table, Tile, toneOf } from "../../kit/components/mod.ts";
import { type Params, readRows } from "../../kit/mod.ts";
import { expiryGroupDays } from "../inventory/mod.ts";
import { page } from "../../shell/mod.ts";
import { FirstSteps } from "./first_steps.tsx";
import { MonthChart, WeekChart } from "./forecast_chart.tsx";
import { EndpointTile, IN_USE, MinorTiles, type ProblemCount } from "./minor_tiles.tsx";
import { BarList } from "./bar_list.tsx";
import { Compliance } from "./compliance_card.tsx";

/** Number of certificates in the list of those that expire next. */
const NEXT = 5;
/** Number of certificates in the list of those that have expired: the first screen has space for both lists. */
const OVERDUE = 3;
/** Columns of both lists: what expires, when, where it is assigned and served, and who is responsible. */
const COLUMNS = ["common_name", "valid_to", "assigned_to", "owner"];

/** Renders the dashboard: numbers, next expiries, compliance. */
export async function dashboard(call: Call): Promise<Response> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) {
    return page(
      call,
      { title: "Dashboard" },
      <EmptyState text="You do not have permission to view certificates. Ask an administrator for access." />,
    );
  }
  const key = viewKey(
    call.ctx,
    `dashboard ${divisionOf(call.url)} ${formatDatetime(call.ctx.clock.now()).slice(0, 16)}`,
  );
  const content = await cacheUntilChange(call.ctx, key, () => render(call));
  return page(
    call,
    { title: "Dashboard" },
    content === undefined ? <FirstSteps call={call} /> : raw(content),
  );
}

/** Renders the numbers and lists, which are the same for each visit of a minute unless something changes. */
async function render(call: Call): Promise<string | undefined> {
  const [overview, problems, replaced] = await Promise.all([
    inventoryOverview(call),
    countProblems(call),
    countServingReplaced(call),
  ]);
  if (overview.total === 0) return undefined;
  const { used, overdue, next } = await loadExpiries(call, overview);
  return String(
    <>
      <Tiles call={call} overview={overview} problems={problems} />
      <StillUsed call={call} kinds={used} replaced={replaced} />
      <Overdue call={call} count={overview.overdue} rows={overdue} />
      <NextExpiries call={call} rows={next} />
      <MinorTiles call={call} overview={overview} />
      <div class="columns even">
        <section class="card" aria-labelledby="weeks">
          <div class="card-head">
            <h2 id="weeks">Expiries in the next 90 days, by week</h2>
            <Choice
              label="Divide by"
              chosen={divisionOf(call.url)}
              choices={Object.entries(DIVISIONS).map(([name, label]) => ({
                name,
                label,
                path: name === "tenant" ? "/#weeks" : `/?by=${name}#weeks`,
              }))}
            />
          </div>
          <WeekChart weeks={overview.weeks} by={overview.weeks_by[divisionOf(call.url)]} />
        </section>
        <section class="card" aria-labelledby="forecast">
          <h2 id="forecast">Expiries in the next 12 months</h2>
          <MonthChart months={overview.forecast} />
        </section>
      </div>
      <div class="columns even">
        <div>
          <Compliance overview={overview} />
          <section class="card" aria-labelledby="authorities">
            <ShareHead id="authorities" title="Authorities" shares={overview.authorities} />
            <BarList shares={overview.authorities} to={liveList} />
          </section>
        </div>
        <div>
          <section class="card" aria-labelledby="keys">
            <ShareHead id="keys" title="Keys" shares={overview.keys} />
            <BarList shares={overview.keys} to={liveList} />
          </section>
          <Statuses overview={overview} />
        </div>
      </div>
    </>,
  );
}

/** Certificates that must be replaced, and those that expire next. */
interface Expiries {
  /** Expired and revoked ones that are still assigned or served. */
  readonly used: Awaited<ReturnType<typeof loadStillUsed>>;
  /** If no expired one is known to be assigned or served: all without a successor, the oldest expiry first. */
  readonly overdue: readonly ListedCertificate[];
  readonly next: readonly ListedCertificate[];
}

async function loadExpiries(call: Call, { overdue: count }: Overview): Promise<Expiries> {
  const columns = ["display", ...COLUMNS];
  const read = (params: Params): ReturnType<typeof readListed> => readListed(call, { params, columns });
  const [used, next] = await Promise.all([
    loadStillUsed(call, {}),
    read({ in_use: "true", expired: "false", ordering: "valid_to", limit: NEXT }),
  ]);
  const isShown = used.some(({ word }) => word === "expired");
  const { rows: expired } = isShown || count === 0
    ? { rows: [] }
    : await read({ overdue: "true", ordering: "valid_to", limit: OVERDUE });
  const rows = await withAssignedTo(call, [...expired, ...next.rows]);
  return { used, overdue: rows.slice(0, expired.length), next: rows.slice(expired.length) };
}

const OVERDUE_PATH = "/certificates/?overdue=true";

/**
 * Counts the most urgent expired certificates without a successor: those that are assigned or served, or all if
 * none is known to be.
 */
function urgent({ overdue, overdue_used: used }: Overview): { count: number; note: Html; path: string } {
  if (used === null || used === 0) {
    return { count: overdue, note: <>without a successor</>, path: OVERDUE_PATH };
  }
  const others = overdue - used;
  return {
    count: used,
    note: (
      <>
        and still assigned or served{others === 0
          ? ""
          : <span class="tile-more">; {numberText(others)} more neither</span>}
      </>
    ),
    path: `${OVERDUE_PATH}&assigned_or_served=true`,
  };
}

/** Returns the list of the certificates in use of a share. */
function liveList({ query }: Share): string | undefined {
  return query === undefined ? undefined : `/certificates/?${query}&${IN_USE}`;
}

/** Divisions of the expiries of a week. */
const DIVISIONS = { tenant: "Tenant", issuer: "Issuer" } as const;

function divisionOf(url: URL): keyof typeof DIVISIONS {
  return url.searchParams.get("by") === "issuer" ? "issuer" : "tenant";
}

/** Counts endpoints that need attention, by group; undefined if the user may view none. */
async function countProblems(call: Call): Promise<readonly ProblemCount[] | undefined> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return undefined;
  return await Promise.all(PROBLEMS.map(async (problem) => {
    const { count } = await readRows(call.ctx, endpoints, { params: { problem, limit: 1 }, fields: ["id"] });
    return { value: count, label: problem, path: `/endpoints/?problem=${problem}` };
  }));
}

/** Renders the numbers that need attention first: certificates, endpoints, compliance. */
function Tiles(
  { call, overview, problems }: {
    call: Call;
    overview: Overview;
    problems: readonly ProblemCount[] | undefined;
  },
): Html {
  const { by_expiry, compliance } = overview;
  const { count, note, path } = urgent(overview);
  return (
    <div class="cards tiles">
      <Tile
        title="Expired"
        value={count}
        note={note}
        path={path}
        tone={count === 0 ? "plain" : "bad"}
      />
      <Tile
        title="Critical"
        value={by_expiry.critical}
        note={`expire ${expiryGroupDays(call.ctx.settings, "critical")}`}
        path={`/certificates/?expiry_status=critical&${IN_USE}`}
        tone={by_expiry.critical === 0 ? "plain" : "bad"}
      />
      <Tile
        title="Warning"
        value={by_expiry.warning}
        note={`expire ${expiryGroupDays(call.ctx.settings, "warning")}`}
        path={`/certificates/?expiry_status=warning&${IN_USE}`}
        tone={by_expiry.warning === 0 ? "plain" : "warn"}
      />
      {problems === undefined ? null : <EndpointTile problems={problems} />}
      {compliance === null || compliance.total_checks === 0 ? null : (
        <Tile
          title="Compliance"
          value={percentText(compliance.score)}
          note={`of checks pass; ${counted(compliance.failing, "certificate fails", "certificates fail")}`}
          path="/compliance/"
          tone={compliance.failing === 0 ? "good" : "warn"}
        />
      )}
    </div>
  );
}

/** Renders expired certificates without a successor; nothing if there are none. */
function Overdue(
  { call, count, rows }: { call: Call; count: number; rows: readonly ListedCertificate[] },
): Html | null {
  if (rows.length === 0) return null;
  return (
    <UrgentCertificates
      call={call}
      id="overdue"
      caption="Expired, not replaced"
      rows={rows}
      count={count}
      columns={COLUMNS}
    >
      <h2 id="overdue">Expired, not replaced: {numberText(count)}</h2>
      {count > rows.length ? <a href={OVERDUE_PATH}>View all {numberText(count)}</a> : null}
    </UrgentCertificates>
  );
}

function NextExpiries({ call, rows }: { call: Call; rows: readonly ListedCertificate[] }): Html {
  return (
    <section aria-labelledby="next" class="titled expiries">
      <div class="title">
        <h2 id="next">Expires next</h2>
        <a href={`/certificates/?${IN_USE}&expired=false&ordering=valid_to`}>View all by expiry</a>
      </div>
      {rows.length === 0
        ? <EmptyState text="No active certificates." />
        : <Table caption="Expires next" dense rows={rows} columns={certificateColumns(call, COLUMNS)} />}
    </section>
  );
}

/** Renders the heading of bars, and how many certificates they count together. */
function ShareHead({ id, title, shares }: { id: string; title: string; shares: readonly Share[] }): Html {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  return (
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      <span class="faint">of {numberText(total)} certificates in use</span>
    </div>
  );
}

function Statuses({ overview }: { overview: Overview }): Html {
  return (
    <section class="card" aria-labelledby="statuses">
      <h2 id="statuses">Status of all {numberText(overview.total)} certificates</h2>
      <BarList
        shares={STATUSES.map((status) => ({ label: status, count: overview.by_status[status] ?? 0 }))
          .filter(({ count }) => count > 0)}
        to={({ label }) => `/certificates/?status=${label}`}
        tone={({ label }) => toneOf(label)}
      />
    </section>
  );
}
