/** Views of endpoints, observations and scan jobs. */

import { counted, numberText } from "../../../base/amounts.ts";
import {
  type Endpoint,
  endpoints,
  type Observation,
  observations,
  type ScanJob,
  scanJobs,
} from "../../../domain/endpoints/mod.ts";
import { NO_SOCKETS } from "../../../domain/endpoints/probing/mod.ts";
import type { Call } from "../../call.ts";
import { CertificateName } from "../certificates/mod.ts";
import {
  Badge,
  type Content,
  EmptyState,
  Form,
  type Html,
  Icon,
  Table,
  Time,
} from "../../kit/components/mod.ts";
import { durationText, mayActOn, type PermittedActions, readRows, type View } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { isGranted } from "../../../auth/mod.ts";
import {
  EXPIRES,
  type ListedEndpoint,
  NEEDS_ATTENTION,
  STATE_FIELDS,
  StateBrief,
  StateCell,
  withServed,
} from "./state_cell.tsx";
import { endpointSummary } from "./summary.tsx";

/** Number of observations on the page of an endpoint. */
const SHOWN = 50;

/** The view of endpoints. */
export const endpointView: View<ListedEndpoint<Endpoint> & { readonly expires?: string | undefined }> = {
  resource: endpoints,
  columns: [
    {
      name: "state",
      label: "State, next step",
      sort: "severity",
      needs: STATE_FIELDS,
      cell: (row) => <StateCell endpoint={row} />,
      under: (row) => <StateBrief endpoint={row} />,
      layout: ["p2", "sentence-share"],
    },
    {
      name: "certificate",
      label: "Serves",
      cell: ({ certificate }) => certificate === null ? "" : <CertificateName brief={certificate} />,
      // Its host needs space.
      layout: ["p2", "wide-share"],
    },
    EXPIRES,
    "last_probed",
    "expected_certificate",
    "tenant",
    "source",
  ],
  usual: ["state", "certificate", "expires", "last_probed"],
  withMore: async (call, rows) =>
    (await withServed(call, rows)).map((row) => ({ ...row, expires: row.served?.valid_to })),
  tabs: { parts: [["Needs attention", NEEDS_ATTENTION]], counted: true },
  ordering: "severity",
  filters: ["state", "problem", "protocol", "tenant_id", "enabled", "addresses_differ", "source"],
  detail: (call, endpoint, permitted) => ({
    actions: probeButton(call, endpoint),
    lead: endpointSummary(call, endpoint, permitted),
    without: [
      "assigned_object_type",
      "assigned_object_id",
      "severity",
      ...endpoint.addresses_differ ? [] : ["addresses_differ"],
      // The summary has these fields.
      "state",
      "states",
      "state_message",
      "last_changed",
      "last_probed",
      "certificate",
      "expected_certificate",
    ],
    sections: timeline(call, endpoint),
  }),
  fields: {
    server_name: { help: "The name to ask for and to find in the certificate. Empty: the host." },
    protocol: {
      help: "TLS from the start, or the protocol whose STARTTLS is used.",
      text: (protocol) => String(protocol).toUpperCase(),
    },
    expected_certificate: { help: "Empty: any active certificate whose names cover the server name." },
    interval_minutes: {
      help: 'Between two probes, such as "30 minutes", "6 hours" or "7 days".',
      text: intervalText,
    },
    source: { text: sourceText },
  },
  empty: "No endpoints yet. An endpoint is an address whose certificate the service watches.",
};

/** Returns the source of an endpoint in words: `agent:demo` is "agent demo". */
function sourceText(source: unknown): string {
  return String(source).replace(":", " ");
}

/** Returns "every 7 days" for a number of minutes. */
function intervalText(minutes: unknown): string {
  return `every ${durationText(Number(minutes)).replace(/^1 /, "")}`;
}

async function probeButton(call: Call, endpoint: Endpoint): Promise<Html | null> {
  if (call.ctx.probe === undefined) return null;
  if (!await mayActOn(call, endpoints, { action: "probe", id: endpoint.id })) return null;
  return (
    <Form call={call} action={`${objectPath(endpoints, endpoint.id)}probe/`} class="inline">
      <button type="submit">
        <Icon name="renew" />Probe now
      </button>
    </Form>
  );
}

/** Renders a note that this process probes and scans nothing, if the platform has no sockets. */
function NoSockets({ call }: { call: Call }): Html | null {
  return call.ctx.probe === undefined ? <p class="faint">{NO_SOCKETS}</p> : null;
}

function isAgents({ source }: Pick<Endpoint, "source">): boolean {
  return source.startsWith("agent:");
}

/** Returns the certificate of an observation, or the name of one that is not stored. */
function observed({ certificate, common_name }: Pick<Observation, "certificate" | "common_name">): Content {
  return certificate === null ? common_name : <CertificateName brief={certificate} />;
}

function seen({ last_seen }: Pick<Observation, "last_seen">): Html {
  return <Time at={last_seen} />;
}

/** Renders the observations of an endpoint, the newest first. */
async function timeline(call: Call, endpoint: Endpoint): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", observations.objectType)) return null;
  const { rows } = await readRows(call.ctx, observations, {
    params: { endpoint_id: endpoint.id, ordering: "-last_seen", limit: SHOWN },
  });
  return (
    <section aria-labelledby="observations">
      <h2 id="observations">Observations</h2>
      {isAgents(endpoint) ? null : <NoSockets call={call} />}
      {rows.length === 0
        ? <EmptyState text="Not probed yet. The first probe shows what the endpoint presents." />
        : (
          <Table
            caption="Observations"
            rows={rows}
            columns={[
              {
                label: "State",
                cell: (row) => (
                  <a href={objectPath(observations, row.id)}>
                    <Badge value={row.state} />
                  </a>
                ),
              },
              {
                label: "Certificate",
                cell: (row) => observed(row),
                layout: ["folds"],
                under: (row) => observed(row),
              },
              {
                label: "Address",
                cell: (row) => row.address || "–",
                under: (row) => row.address,
                layout: ["p3"],
              },
              {
                label: "Protocol",
                cell: (row) => row.tls_version,
                under: (row) => row.tls_version,
                layout: ["p2"],
              },
              { label: "First seen", cell: (row) => <Time at={row.first_seen} />, layout: ["p2"] },
              { label: "Last seen", cell: (row) => seen(row), under: (row) => seen(row), layout: ["p2"] },
            ]}
          />
        )}
      {rows.length < SHOWN ? null : (
        <p>
          <a href={`/observations/?endpoint_id=${endpoint.id}`}>View all observations</a>
        </p>
      )}
    </section>
  );
}

/** The view of observations. */
export const observationView: View<Observation> = {
  resource: observations,
  title: { needs: ["address", "state"], of: ({ display }) => display.replaceAll("_", " ") },
  // The state is a column.
  name: { label: "Address", needs: ["address"], of: ({ address }) => address || "no address" },
  columns: ["state", "endpoint", "certificate", "first_seen", "last_seen", "tls_version"],
  filters: ["state", "address", "tls_version"],
  empty: "No observations yet. Each change of what an endpoint presents appears here.",
};

/** The view of scan jobs. */
export const scanJobView: View<ScanJob> = {
  resource: scanJobs,
  columns: ["enabled", "networks", "ports", "last_run"],
  filters: ["enabled", "tenant_id"],
  empty: "No scan jobs yet. A scan job looks for endpoints in a network.",
  fields: {
    networks: { help: "Only networks that the operator allows, such as 10.0.0.0/24." },
    rate: {
      help: "At most so many a second.",
      text: (rate) => `${numberText(Number(rate))} connections a second`,
    },
    interval_minutes: {
      help: 'Between two runs, such as "30 minutes", "6 hours" or "7 days".',
      text: intervalText,
    },
  },
  detail: (call, job, permitted) => ({
    related: [["Endpoints found by scans", "/endpoints/?source=scan"]],
    lead: scanJobLead(call, job, permitted),
    without: ["last_run", "last_result"],
  }),
};

/** Renders that a disabled job does not run, and its last run. */
function scanJobLead(call: Call, job: ScanJob, { change }: PermittedActions): Html {
  return (
    <>
      {job.enabled === true ? null : (
        <div class="summary warn">
          <p class="next">
            <strong>Disabled:</strong> it does not run until it is enabled.
          </p>
          {change
            ? (
              <div class="buttons">
                <a role="button" class="secondary" href={`${objectPath(scanJobs, job.id)}edit/#f-enabled`}>
                  Enable…
                </a>
              </div>
            )
            : null}
        </div>
      )}
      <LastRun call={call} job={job} />
    </>
  );
}

function LastRun({ call, job }: { call: Call; job: ScanJob }): Html {
  const { last_run: at, last_result: result } = job;
  return (
    <section aria-labelledby="last-run">
      <h2 id="last-run">Last run</h2>
      <NoSockets call={call} />
      {at === null ? <EmptyState text="It has not run yet." /> : (
        <p>
          <Time at={at} />: {result === null ? "Running, or interrupted." : resultText(result)}
        </p>
      )}
    </section>
  );
}

/** Result of a run of a scan job. */
type Result = Readonly<Record<string, unknown>>;

function resultText({ error, addresses, answered, created, known, stopped }: Result): string {
  if (error !== undefined) return String(error);
  const counts =
    `${counted(Number(addresses), "connection")}, ${counted(Number(answered), "server")} answered: ` +
    `${counted(Number(created), "new endpoint")}, ${numberText(Number(known))} known.`;
  return stopped === true ? `${counts} It was stopped early.` : counts;
}
