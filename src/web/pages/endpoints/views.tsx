/** Views of endpoints, observations and scan jobs. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { loadEndpointFacts } from "../../../domain/advice/mod.ts";
import {
  type Endpoint,
  endpoints,
  type Observation,
  observations,
  type ScanJob,
  scanJobs,
  WITHOUT_CERTIFICATE,
} from "../../../domain/endpoints/mod.ts";
import { NO_SOCKETS } from "../../../domain/endpoints/probing/probe_endpoint.ts";
import type { Call } from "../../call.ts";
import {
  Badge,
  EmptyState,
  Expiry,
  type Html,
  ListSection,
  Section,
  Time,
  toneOf,
} from "../../kit/components/mod.ts";
import { defineView, durationText, objectButton, type PermittedActions, readRows } from "../../kit/mod.ts";
import { capitalized } from "../../messages.ts";
import { objectPath } from "../../paths.ts";
import { CertificateName } from "../certificates/mod.ts";
import {
  EXPIRES,
  type ListedEndpoint,
  NEEDS_ATTENTION,
  NextStep,
  STATE_FIELDS,
  StateCell,
  withServed,
} from "./state_cell.tsx";

const inWords = (state: string): string => state.replaceAll("_", " ").replace(/^tls/, "TLS");

/** Renders the state with its time, and the served and the expected certificate. At most three statements. */
async function endpointSummary(
  call: Call,
  endpoint: Endpoint,
  permitted: PermittedActions,
): Promise<Html> {
  const { state, state_message: reason, certificate, expected_certificate: expected } = endpoint;
  const { last_changed: since, last_probed: probed } = endpoint;
  const facts = await loadEndpointFacts(call.ctx, endpoint, permitted.change);
  const { served } = facts;
  const others = endpoint.states.filter((one) => one !== state && one !== "ok");
  return (
    <div class={`summary ${toneOf(state)}`}>
      <p>
        <strong>
          {state === "ok" ? "OK" : capitalized(inWords(state))}
        </strong>
        {since === null ? "." : (
          <>
            {" since "}
            <Time at={since} />.
          </>
        )} <bdi>{reason}</bdi>
        {others.length === 0 ? null : ` Also: ${others.map(inWords).join(", ")}.`}
      </p>
      <p>
        {certificate === null ? null : (
          <>
            {WITHOUT_CERTIFICATE.has(state) ? "Last known certificate: " : "Serves "}
            <CertificateName brief={certificate} />
            {certificate.id === expected?.id ? ", the expected certificate." : "."}
          </>
        )} {served === undefined ? null : (
          <>
            It {served.days_remaining < 0 ? "expired" : "expires"} on <Expiry row={served} />.
          </>
        )} {expected === null || certificate?.id === expected.id ? null : (
          <>
            Expected certificate: <CertificateName brief={expected} />.
          </>
        )}
      </p>
      {probed === null ? null : (
        <p class="faint">
          Last probed <Time at={probed} />.
        </p>
      )}
      <NextStep call={call} facts={facts} />
    </div>
  );
}

/** Number of observations on the page of an endpoint. */
const SHOWN = 50;

/** The view of endpoints. */
export const endpointView = defineView<ListedEndpoint<Endpoint> & { readonly expires?: string | undefined }>({
  resource: endpoints,
  columns: [
    {
      name: "state",
      label: "State, next step",
      sort: "severity",
      needs: STATE_FIELDS,
      cell: (row) => <StateCell endpoint={row} />,
      layout: ["p2", "folds", "sentence-share"],
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
    actions: call.ctx.probe === undefined ? null : objectButton(call, endpoints, {
      id: endpoint.id,
      may: "probe",
      path: "probe/",
      icon: "renew",
      label: "Probe now",
    }),
    lead: endpointSummary(call, endpoint, permitted),
    without: [
      "assigned_object_type",
      "assigned_object_id",
      "severity",
      ...endpoint.addresses_differ ? [] : ["addresses_differ"],
      // The summary has these fields.
      "state_reason",
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
    // `agent:demo` is "agent demo".
    source: { text: (source) => String(source).replace(":", " ") },
  },
  empty: "No endpoints yet. An endpoint is an address whose certificate the service watches.",
});

/** Returns "every 7 days" for a number of minutes. */
function intervalText(minutes: unknown): string {
  return `every ${durationText(Number(minutes)).replace(/^1 /, "")}`;
}

/** Renders a note that this process probes and scans nothing, if the platform has no sockets. */
function NoSockets({ call }: { call: Call }): Html | null {
  return call.ctx.probe === undefined ? <p class="faint">{NO_SOCKETS}</p> : null;
}

/** Renders the observations of an endpoint, the newest first. */
async function timeline(call: Call, endpoint: Endpoint): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", observations.objectType)) return null;
  const { rows } = await readRows(call.ctx, observations, {
    params: { endpoint_id: endpoint.id, ordering: "-last_seen", limit: SHOWN },
  });
  return (
    <ListSection
      id="observations"
      title="Observations"
      before={endpoint.source.startsWith("agent:") ? null : <NoSockets call={call} />}
      rows={rows}
      empty="Not probed yet. The first probe shows what the endpoint presents."
      all={rows.length < SHOWN ? undefined : `/observations/?endpoint_id=${endpoint.id}`}
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
          cell: ({ certificate, common_name: name }) =>
            // One that is not stored has only a name.
            certificate === null ? name : <CertificateName brief={certificate} />,
          layout: ["folds"],
        },
        { label: "Address", cell: (row) => row.address, layout: ["p3", "folds"] },
        { label: "Protocol", cell: (row) => row.tls_version, layout: ["p2", "folds"] },
        { label: "First seen", cell: (row) => <Time at={row.first_seen} />, layout: ["p2"] },
        { label: "Last seen", cell: (row) => <Time at={row.last_seen} />, layout: ["p2", "folds"] },
      ]}
    />
  );
}

/** The view of observations. */
export const observationView = defineView<Observation>({
  resource: observations,
  title: { needs: ["address", "state"], of: ({ display }) => display.replaceAll("_", " ") },
  // The state is a column.
  name: { label: "Address", needs: ["address"], of: ({ address }) => address || "no address" },
  columns: ["state", "endpoint", "certificate", "first_seen", "last_seen", "tls_version"],
  filters: ["state", "address", "tls_version"],
  empty: "No observations yet. Each change of what an endpoint presents appears here.",
});

/** The view of scan jobs. */
export const scanJobView = defineView<ScanJob>({
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
});

/** Renders that a disabled job does not run, and its last run. */
function scanJobLead(call: Call, job: ScanJob, { change }: PermittedActions): Html {
  const { last_run: at, last_result: result } = job;
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
      <Section id="last-run" title="Last run">
        <NoSockets call={call} />
        {at === null ? <EmptyState text="It has not run yet." /> : (
          <p>
            <Time at={at} />: {result === null ? "Running, or interrupted." : resultText(result)}
          </p>
        )}
      </Section>
    </>
  );
}

/** Result of a run of a scan job. */
type Result = Partial<
  Record<"error" | "addresses" | "answered" | "created" | "known" | "stopped", unknown>
>;

function resultText({ error, addresses, answered, created, known, stopped }: Result): string {
  if (error !== undefined) return String(error);
  const counts =
    `${counted(Number(addresses), "connection")}, ${counted(Number(answered), "server")} answered: ` +
    `${counted(Number(created), "new endpoint")}, ${numberText(Number(known))} known.`;
  return stopped === true ? `${counts} It was stopped early.` : counts;
}
