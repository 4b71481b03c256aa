/** The dashboard. */

import { isGranted } from "../../auth/mod.ts";
import { certificates, EXPIRY_STATUSES, STATUSES } from "../../domain/certificates/mod.ts";
import { inventoryOverview, type Overview } from "../../domain/system/overview/mod.ts";
import type { Call } from "../call.ts";
import { Expiry, issuerName } from "../certificates/mod.ts";
import { EmptyState, type Html, Table, Tile, truncate } from "../components/mod.ts";
import { type ApiObject, readRows } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";
import { ForecastChart } from "./forecast_chart.tsx";
import { BarList } from "./bar_list.tsx";
import { TrendChart } from "./trend_chart.tsx";

/** Certificates that are named as those that expire next. */
const NEXT = 8;

/** What there is, what is due, how well it does. */
export async function dashboard(call: Call): Promise<Response> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) {
    return page(
      call,
      { title: "Dashboard" },
      <EmptyState text="You do not have permission to view certificates. Ask an administrator for access." />,
    );
  }
  const [overview, next] = await Promise.all([inventoryOverview(call), expiringNext(call)]);
  if (overview.total === 0) {
    return page(
      call,
      { title: "Dashboard" },
      <EmptyState text="The inventory is empty. Import certificates from PEM, DER or PKCS#7 files, or from a CSV or JSON table.">
        <a role="button" href="/certificates/import/">Import certificates</a>
        <a role="button" class="secondary" href="/certificates/bulk-import/">Bulk import</a>
      </EmptyState>,
    );
  }
  return page(
    call,
    { title: "Dashboard" },
    <>
      <Tiles overview={overview} />
      <div class="columns">
        <div>
          <section class="card" aria-labelledby="forecast">
            <h2 id="forecast">Expiries in the next 12 months</h2>
            <ForecastChart months={overview.forecast} />
          </section>
          <Compliance overview={overview} />
        </div>
        <NextExpiries rows={next} />
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="authorities">
          <h2 id="authorities">Authorities</h2>
          <BarList
            shares={overview.authorities}
            to={({ id }) => id === undefined ? undefined : `/certificates/?issuing_ca_id=${id}`}
          />
        </section>
        <div>
          <section class="card" aria-labelledby="keys">
            <h2 id="keys">Keys</h2>
            <BarList shares={overview.keys} />
          </section>
          <Statuses overview={overview} />
        </div>
      </div>
    </>,
  );
}

/** Active and pending certificates that have not run out, the nearest end first. */
async function expiringNext(call: Call): Promise<readonly ApiObject[]> {
  const params = { status: ["active", "pending"], expired: "false", ordering: "valid_to", limit: NEXT };
  const fields = ["id", "display", "common_name", "issuer", "valid_to", "days_remaining", "expiry_status"];
  return (await readRows(call, certificates, { params, fields })).rows;
}

const LIVE = "status=active&status=pending";

const EXPIRY_WORDS = {
  expired: ["Expired", "still active or pending", "bad"],
  critical: ["Critical", "expire very soon", "bad"],
  warning: ["Warning", "expire soon", "warn"],
  ok: ["OK", "expire later", "good"],
} as const;

function Tiles({ overview }: { overview: Overview }): Html {
  const { live, by_expiry, unassigned, compliance } = overview;
  return (
    <div class="cards tiles">
      <Tile
        title="Certificates"
        value={live}
        note="active or pending"
        path={`/certificates/?${LIVE}`}
      />
      {EXPIRY_STATUSES.map((status) => {
        const [title, note, tone] = EXPIRY_WORDS[status];
        const path = `/certificates/?expiry_status=${status}&${LIVE}`;
        const count = by_expiry[status];
        return (
          <Tile title={title} value={count} note={note} path={path} tone={count === 0 ? "plain" : tone} />
        );
      })}
      {unassigned === null ? null : (
        <Tile
          title="Unassigned"
          value={unassigned}
          note="not assigned to any object"
          path={`/certificates/?has_assignments=false&${LIVE}`}
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
          rows={rows}
          columns={[
            {
              label: "Next to expire",
              cell: (row) => (
                <a href={objectPath(certificates, row.id)}>
                  <bdi>{truncate(String(row.common_name))}</bdi>
                </a>
              ),
            },
            { label: "Issuer", cell: (row) => issuerName(String(row.issuer)), wide: true },
            { label: "Valid to", cell: (row) => <Expiry row={row} /> },
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
      {compliance.trend === null ? null : <TrendChart days={compliance.trend} />}
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
