/** `GET /metrics`: authenticates, and responds in the format of Prometheus. */

import type { Handler } from "hono";
import { type AppEnv, type AppOptions, contextOf, type ProcessNumbers } from "../app_options.ts";
import { authenticate } from "../auth/mod.ts";
import { AppError } from "../base/errors.ts";
import { HTTP_METHODS } from "../base/http_methods.ts";
import { VERSION } from "../base/version.ts";
import type { Database } from "../db/mod.ts";
import type { ServiceNumbers } from "../domain/system/metrics/read_service_numbers.ts";
import { NETBOX_VERSION } from "../domain/system/status/service_status.ts";
import { EXPOSITION_TYPE, type Family, type Labels, type Sample, writeExposition } from "./exposition.ts";

interface AnsweredRequest {
  readonly method: string;
  /** Path template (`/api/…/{id}/`); undefined for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  /** Time until the headers of the response were ready. A long body may still be streaming. */
  readonly seconds: number;
}

/** Records requests, and returns them as metrics. */
export interface RequestMetrics {
  /** Counts a request as in flight until {@link RequestMetrics.answered}. */
  entered(): void;
  answered(request: AnsweredRequest): void;
  families(): Family[];
}

/** Label of unknown methods and paths. */
const OTHER = "other";

/** Upper limits of the histogram's buckets, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The responses for a method and route. */
interface Series {
  readonly labels: Labels;
  /** By the class of the status, `2xx`. */
  readonly byStatus: Map<string, number>;
  /** Number of responses at or below each limit and above the one before. */
  readonly counts: number[];
  sum: number;
}

/** Creates counters at zero. There are at most as many as routes times methods. */
export function createRequestMetrics(): RequestMetrics {
  const all = new Map<string, Series>();
  let inFlight = 0;
  return {
    entered(): void {
      inFlight++;
    },
    answered({ method, route = OTHER, status, seconds }): void {
      inFlight--;
      const series = seriesOf(all, { method: HTTP_METHODS.has(method) ? method : OTHER, route });
      const statusClass = `${Math.floor(status / 100)}xx`;
      series.byStatus.set(statusClass, (series.byStatus.get(statusClass) ?? 0) + 1);
      series.sum += seconds;
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      series.counts[bucket === -1 ? BOUNDS.length : bucket]! += 1;
    },
    families: () => [requestFamily(all), durationFamily(all), {
      name: "certmgr_http_requests_in_flight",
      help: "Requests in flight.",
      type: "gauge",
      samples: [{ value: inFlight }],
    }],
  };
}

function seriesOf(all: Map<string, Series>, labels: { method: string; route: string }): Series {
  const key = `${labels.method} ${labels.route}`;
  const known = all.get(key);
  if (known !== undefined) return known;
  const series = { labels, byStatus: new Map(), counts: Array(BOUNDS.length + 1).fill(0), sum: 0 };
  all.set(key, series);
  return series;
}

function requestFamily(all: ReadonlyMap<string, Series>): Family {
  return {
    name: "certmgr_http_requests_total",
    help: "Requests answered by this process, by route and status class.",
    type: "counter",
    samples: [...all.values()].flatMap(({ labels, byStatus }) =>
      [...byStatus].sort().map(([status, value]) => ({ labels: { ...labels, status }, value }))
    ),
  };
}

function durationFamily(all: ReadonlyMap<string, Series>): Family {
  return {
    name: "certmgr_http_request_duration_seconds",
    help: "Time to the headers of the response, by route.",
    type: "histogram",
    samples: [...all.values()].flatMap(({ labels, counts, sum }) => {
      let below = 0;
      const buckets = counts.map((count, index) => {
        below += count;
        const le = index < BOUNDS.length ? String(BOUNDS[index]) : "+Inf";
        return { suffix: "_bucket" as const, labels: { ...labels, le }, value: below };
      });
      return [...buckets, { suffix: "_sum" as const, labels, value: sum }, {
        suffix: "_count" as const,
        labels,
        value: below,
      }];
    }),
  };
}

/** How long the metrics of a busy worker are awaited, in milliseconds. */
const PEERS_MS = 1_000;

/** Sends the metrics of this process, which handles no requests itself, to the workers that ask for them. */
export function reportMetrics({ peers, processNumbers, database }: AppOptions): void {
  peers?.on("metrics", () => processFamilies(processNumbers?.(), database));
}

/**
 * Creates the handler. `requests` counts the requests that the process answers. Errors: method_not_allowed,
 * unauthenticated.
 */
export function createMetrics(options: AppOptions, requests: RequestMetrics): Handler<AppEnv> {
  const { peers } = options;
  const own = (): Family[] => [
    ...processFamilies(options.processNumbers?.(), options.database),
    ...requests.families(),
  ];
  peers?.on("metrics", own);
  const ofWorkers = async (): Promise<Family[]> => {
    if (peers === undefined) return own();
    const others = await peers.ask("metrics", null, PEERS_MS) as { worker: number; value: Family[] }[];
    return mergeFamilies([{ worker: peers.worker, value: own() }, ...others]);
  };
  return async (c) => {
    const { method } = c.req;
    if (method !== "GET" && method !== "HEAD") {
      throw new AppError("method_not_allowed", `Method "${method.slice(0, 20)}" not allowed.`, {
        headers: { allow: "GET, HEAD" },
      });
    }
    const authorization = c.req.header("authorization") ?? null;
    const actor = await authenticate(options, { authorization, address: c.get("client").address });
    c.set("username", actor.username);
    // Loaded late, because it imports the jobs, and these use most of the domain.
    const { readServiceNumbers } = await import("../domain/system/metrics/read_service_numbers.ts");
    const numbers = await readServiceNumbers({ ctx: contextOf(options, c, actor) });
    const families = [...await ofWorkers(), ...serviceFamilies(numbers)];
    return new Response(writeExposition(families), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "gauge", samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "counter", samples };
}

function by(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Returns metrics from the database, which are the same for all processes. */
function serviceFamilies(numbers: ServiceNumbers): Family[] {
  const { byStatus, byExpiry, outbox, outboxAge, deliveries, overdue, jobs } = numbers;
  const { revocation, revocationLate, renewalInfoLate, unanswered, failingLists } = numbers;
  const { endpoints, probesDue, probesRunning, probesLate, lastProbe } = numbers;
  return [
    gauge("certmgr_certificates", "Certificates by status.", by("status", byStatus)),
    gauge(
      "certmgr_certificates_by_expiry",
      "Certificates neither replaced nor revoked, by calendar days to expiry; each is counted once.",
      by("bucket", byExpiry),
    ),
    gauge(
      "certmgr_certificates_by_revocation",
      "Certificates that are revoked, unknown to their authority, or without an answer that can be used.",
      by("status", revocation),
    ),
    gauge("certmgr_revocation_late_seconds", "How long the oldest due revocation check has been due.", [
      { value: revocationLate / 1000 },
    ]),
    gauge(
      "certmgr_revocation_unanswered_seconds",
      "How long a certificate has had no usable answer at most.",
      [
        { value: unanswered / 1000 },
      ],
    ),
    gauge("certmgr_revocation_lists_failing", "Revocation lists whose last request failed.", [
      { value: failingLists },
    ]),
    gauge(
      "certmgr_renewal_info_late_seconds",
      "How long the oldest due question for a renewal window has been due.",
      [
        { value: renewalInfoLate / 1000 },
      ],
    ),
    gauge("certmgr_endpoints", "Endpoints by state.", by("state", endpoints)),
    gauge("certmgr_endpoint_probes_due", "Endpoints that are due to be probed.", [{ value: probesDue }]),
    gauge("certmgr_endpoint_probes_running", "Endpoints that are being probed, by all processes.", [
      { value: probesRunning },
    ]),
    gauge("certmgr_endpoint_probes_late_seconds", "How long the longest waiting endpoint has been due.", [
      { value: probesLate / 1000 },
    ]),
    gauge("certmgr_endpoint_last_probe_timestamp_seconds", "Time of the last probe or report.", [
      { value: lastProbe / 1000 },
    ]),
    gauge("certmgr_outbox_events", "Events without deliveries yet.", [{ value: outbox }]),
    gauge("certmgr_outbox_oldest_seconds", "Age of the oldest event without deliveries.", [
      { value: outboxAge / 1000 },
    ]),
    gauge("certmgr_webhook_deliveries", "Webhook deliveries in the log, by state.", by("state", deliveries)),
    gauge("certmgr_webhook_overdue_seconds", "How long the oldest due webhook delivery has been due.", [
      { value: overdue / 1000 },
    ]),
    gauge(
      "certmgr_job_last_run_timestamp_seconds",
      "Last start of a scheduled job, in any process.",
      Object.entries(jobs).map(([job, at]) => ({ labels: { job }, value: at / 1000 })),
    ),
  ];
}

/** Returns the metrics of all workers, each value with a label for its worker. */
function mergeFamilies(
  all: readonly { readonly worker: number; readonly value: readonly Family[] }[],
): Family[] {
  const merged = new Map<string, Family>();
  for (const { worker, value } of [...all].sort((a, b) => a.worker - b.worker)) {
    for (const family of value) {
      const samples = family.samples.map((sample) => ({
        ...sample,
        labels: { ...sample.labels, worker: String(worker) },
      }));
      const known = merged.get(family.name);
      merged.set(family.name, { ...family, samples: [...known?.samples ?? [], ...samples] });
    }
  }
  return [...merged.values()];
}

function writeFamilies(queue: Database["writeQueue"]): Family[] {
  if (queue === undefined) return [];
  return [
    gauge("certmgr_database_writes_waiting", "Writes that wait for earlier ones.", [{
      value: queue.waiting,
    }]),
    counter("certmgr_database_writes_total", "Writes that have started.", [{ value: queue.started }]),
    counter("certmgr_database_write_wait_seconds_total", "How long writes have waited for earlier ones.", [
      { value: queue.waitedMs / 1000 },
    ]),
  ];
}

function processFamilies(own: ProcessNumbers | undefined, database: Database): Family[] {
  const { statements, writeQueue } = database;
  const build = { labels: { version: VERSION, netbox_version: NETBOX_VERSION }, value: 1 };
  const facts = own === undefined ? [] : [
    gauge("process_resident_memory_bytes", "Memory of the process.", [{ value: own.residentBytes }]),
    gauge("process_heap_bytes", "Used memory of the JavaScript heap.", [{ value: own.heapBytes }]),
    gauge("process_start_time_seconds", "Start of the process, in seconds since the epoch.", [
      { value: own.startedAt / 1000 },
    ]),
    counter("certmgr_log_lines_dropped_total", "Log lines dropped because their reader was too slow.", [
      { value: own.logLinesDropped },
    ]),
  ];
  return [
    gauge("certmgr_build_info", "Release of the service; always 1.", [build]),
    ...facts,
    counter("certmgr_database_statements_total", "Statements sent to the database by this process.", [
      { value: statements },
    ]),
    ...writeFamilies(writeQueue),
  ];
}
