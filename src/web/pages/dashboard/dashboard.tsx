/** The dashboard. */

import { raw } from "hono/html";
import { counted, numberText, percentText } from "../../../base/amounts.ts";
import { isGranted } from "../../../auth/mod.ts";
import { formatDatetime } from "../../../base/clock.ts";
import { users } from "../../../domain/accounts/users/resource.ts";
import { mayImport } from "../../../domain/certificates/import/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { cacheUntilChange, viewKey } from "../../../resource/mod.ts";
import { endpoints, PROBLEMS } from "../../../domain/endpoints/mod.ts";
import { inventoryOverview, type Overview } from "../../../domain/system/overview/overview.ts";
import { loadForecast } from "../../../domain/forecast/mod.ts";
import { subscriptions } from "../../../domain/notices/mod.ts";
import type { Call, Route } from "../../call.ts";
import {
  countServingReplaced,
  loadStillUsed,
  readListed,
  StillUsed,
  TitledCertificates,
  withAssignedTo,
} from "../certificates/mod.ts";
import { EmptyState, type Html, NumbersTile, Section, Tile } from "../../kit/components/mod.ts";
import { type Params, readRows } from "../../kit/mod.ts";
import { RenewalRates } from "../forecast.tsx";
import { AddButton } from "../imports/mod.ts";
import { expiryGroupDays } from "../inventory/certificate_section.tsx";
import { listPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";
import { Chart, monthFilter, monthLabel, TrendChart } from "./charts.tsx";

export const dashboardRoutes: readonly Route[] = [{ method: "GET", path: "/", handle: dashboard }];

/** Number of certificates in the list of those that expire next. */
const NEXT = 5;
/** Number of certificates in the list of those that have expired: the first screen has space for both lists. */
const OVERDUE = 3;
/** Columns of both lists: what expires, when, where it is assigned and served, and who is responsible. */
const COLUMNS = ["common_name", "valid_to", "assigned_to", "owner"];

/** Renders the dashboard: numbers, next expiries, compliance. */
async function dashboard(call: Call): Promise<Response> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) {
    return page(
      call,
      { title: "Overview" },
      <EmptyState text="You do not have permission to view certificates. Ask an administrator for access." />,
    );
  }
  const key = viewKey(call.ctx, `dashboard ${formatDatetime(call.ctx.clock.now()).slice(0, 16)}`);
  const content = await cacheUntilChange(call.ctx, key, () => render(call));
  return page(
    call,
    { title: "Overview" },
    content === undefined ? <FirstSteps call={call} /> : raw(content),
  );
}

/** Renders the numbers and lists, which are the same for each visit of a minute unless something changes. */
async function render(call: Call): Promise<string | undefined> {
  const { ctx } = call;
  const [overview, problems, replaced, rates] = await Promise.all([
    inventoryOverview(call),
    // Endpoints that need attention, by group; undefined if the user may view none.
    !isGranted(ctx, "view", endpoints.objectType) ? undefined : Promise.all(PROBLEMS.map(async (problem) => {
      const { count } = await readRows(ctx, endpoints, { params: { problem, limit: 1 }, fields: ["id"] });
      return { value: count, label: problem, path: `/endpoints/?problem=${problem}` };
    })),
    countServingReplaced(call),
    loadForecast().then(({ renewalRates }) => renewalRates(ctx)),
  ]);
  if (overview.total === 0) return undefined;
  const columns = ["display", ...COLUMNS];
  const list = (params: Params): ReturnType<typeof readListed> => readListed(call, { params, columns });
  const [used, nearest] = await Promise.all([
    // Expired and revoked ones that are still assigned or served.
    loadStillUsed(call, {}),
    list({ in_use: "true", expired: "false", ordering: "valid_to", limit: NEXT }),
  ]);
  // If none is known to be, all that expired without a successor, the oldest expiry first.
  const { rows: expired } = overview.overdue === 0 || used.some(({ word }) => word === "expired")
    ? { rows: [] }
    : await list({ overdue: "true", ordering: "valid_to", limit: OVERDUE });
  const rows = await withAssignedTo(call, [...expired, ...nearest.rows]);
  const [overdue, next] = [rows.slice(0, expired.length), rows.slice(expired.length)];
  return String(
    <>
      <Tiles call={call} overview={overview} problems={problems} />
      <StillUsed call={call} kinds={used} replaced={replaced} />
      {overdue.length === 0 ? null : (
        <TitledCertificates
          call={call}
          id="overdue"
          caption="Expired, not replaced"
          rows={overdue}
          columns={COLUMNS}
          urgent
        >
          <h2 id="overdue">Expired, not replaced: {numberText(overview.overdue)}</h2>
          {overview.overdue > overdue.length
            ? <a href={OVERDUE_PATH}>View all {numberText(overview.overdue)}</a>
            : null}
        </TitledCertificates>
      )}
      <TitledCertificates call={call} id="next" caption="Expires next" rows={next} columns={COLUMNS}>
        <h2 id="next">Expires next</h2>
        <a href={`/certificates/?${IN_USE}&expired=false&ordering=valid_to`}>View all by expiry</a>
      </TitledCertificates>
      <MinorTiles call={call} overview={overview} />
      <div class="columns even">
        <Section id="forecast" title="Expiries in the next 12 months" class="card">
          <p>
            <RenewalRates rates={rates} /> <a href="/forecast/">Forecast</a>
          </p>
          <Chart
            title="Expiries"
            unit="Month"
            spans={overview.forecast.map(({ month, count }, index) => ({
              // `Nov`, or `Jan 27` for the first month of a year.
              label: month.endsWith("-01") ? monthLabel(month) : monthLabel(month).slice(0, 3),
              minor: index % 2 === 1,
              path: `/certificates/?${IN_USE}&expired=false&${monthFilter(month)}`,
              count,
            }))}
          />
        </Section>
        <Compliance overview={overview} />
      </div>
    </>,
  );
}

/** Certificates in use, as a filter of their list. */
const IN_USE = "in_use=true";
const OVERDUE_PATH = "/certificates/?overdue=true";

/** Renders the numbers that need attention first: certificates, endpoints. */
function Tiles(
  { call, overview, problems }: {
    call: Call;
    overview: Overview;
    problems: Parameters<typeof NumbersTile>[0]["numbers"] | undefined;
  },
): Html {
  const { by_expiry } = overview;
  const { overdue, overdue_used: used } = overview;
  const some = problems?.filter(({ value }) => value > 0) ?? [];
  return (
    <div class="cards tiles">
      <Tile
        title="Expired"
        value={used || overdue}
        note={used ? "and still assigned or served" : "without a successor"}
        path={used ? `${OVERDUE_PATH}&assigned_or_served=true` : OVERDUE_PATH}
        tone={overdue === 0 ? "plain" : "bad"}
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
      {problems === undefined
        ? null
        : some.length === 0
        ? <Tile title="Endpoints" value={0} note="need attention" path="/endpoints/" />
        : <NumbersTile title="Endpoints" note="need attention" numbers={some} tone="warn" />}
    </div>
  );
}

/** Renders the numbers that rarely need attention, each with a link to its objects. */
function MinorTiles({ call, overview }: { call: Call; overview: Overview }): Html {
  const { by_expiry, by_status: { active = 0, pending = 0 }, used, unassigned } = overview;
  return (
    <div class="cards tiles minor">
      <Tile
        title="In use"
        value={used}
        note={`${numberText(active)} active, ${numberText(pending)} pending, ${
          numberText(used - active - pending)
        } ended but not replaced`}
        path={`/certificates/?${IN_USE}`}
      />
      <Tile
        title="Later"
        value={by_expiry.ok}
        note={`expire in more than ${counted(call.ctx.settings.warningDays, "day")}`}
        path={`/certificates/?expiry_status=ok&${IN_USE}`}
      />
      {unassigned === null ? null : (
        <Tile
          title="Unassigned"
          value={unassigned}
          note="not assigned to any object"
          path={`/certificates/?has_assignments=false&kind__n=ca&${IN_USE}`}
        />
      )}
    </div>
  );
}

/** Renders the score with its trend; nothing for users who may not view all checks. */
export function Compliance({ overview: { compliance } }: { overview: Overview }): Html | null {
  if (compliance === null) return null;
  return (
    <Section id="compliance" title="Compliance" class="card">
      {compliance.total_checks === 0
        ? (
          <p class="faint">
            No compliance checks yet. <a href="/policies/">Policies</a> define what is checked.
          </p>
        )
        : (
          <p>
            <strong>{percentText(compliance.score)}</strong> of {numberText(compliance.total_checks)}{" "}
            checks passed;{" "}
            <a href="/compliance/">
              {counted(compliance.failing, "certificate fails", "certificates fail")}
            </a>.
          </p>
        )}
      {/* With fewer days there is no chart, and a link to it would have no text. */}
      {compliance.trend === null || compliance.trend.length < 2 ? null : (
        <a href="/compliance/#trend">
          <TrendChart days={compliance.trend} />
        </a>
      )}
    </Section>
  );
}

/** The first steps of a new inventory, after its first certificates: each creates an object. */
const STEPS = [
  {
    title: "Watch an endpoint",
    about:
      "Give an address such as www.example.com:443. The service connects regularly and says which certificate is served there.",
    resource: endpoints,
  },
  {
    title: "Get notified",
    about: "Subscribe to what matters to you: expiries, failed checks, endpoints with a wrong certificate.",
    resource: subscriptions,
  },
  {
    title: "Invite people",
    about: "Create users and decide what each may see and do: everything, one tenant, or only reading.",
    resource: users,
  },
] as const;

/** Renders the steps, or a sentence for users who may take none. */
function FirstSteps({ call: { ctx }, call }: { call: Call }): Html {
  const steps = STEPS.filter(({ resource }) => isGranted(ctx, "add", resource.objectType));
  if (!mayImport(ctx) && steps.length === 0) {
    return <EmptyState text="No certificates yet. Ask an administrator for the permission to add some." />;
  }
  return (
    <ol class="steps">
      {mayImport(ctx)
        ? (
          <li class="card">
            <h2>Add certificates</h2>
            <p>
              Paste or drop what you have: PEM, DER and PKCS#7 files, or your spreadsheet as CSV. You see a
              preview before anything is stored.
            </p>
            <AddButton call={call} />
          </li>
        )
        : null}
      {steps.map(({ title, about, resource }) => (
        <li class="card">
          <h2>{title}</h2>
          <p>{about}</p>
          <a role="button" class="secondary" href={`${listPath(resource)}new/`}>New {resource.label}</a>
        </li>
      ))}
    </ol>
  );
}
