/** Names and descriptions of the metrics. */

import type { ProcessNumbers } from "../app_options.ts";
import type { Database } from "../db/mod.ts";
import type { ServiceNumbers } from "../domain/system/metrics/mod.ts";
import { VERSION } from "../base/version.ts";
import { NETBOX_VERSION } from "../domain/system/status/mod.ts";
import type { Family, Sample } from "./exposition.ts";

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
export function serviceFamilies(numbers: ServiceNumbers): Family[] {
  const { byStatus, byExpiry, outbox, outboxAge, deliveries, overdue, jobs } = numbers;
  const { endpoints, probesDue, probesRunning, probesLate, lastProbe } = numbers;
  return [
    gauge("certmgr_certificates", "Certificates by status.", by("status", byStatus)),
    gauge(
      "certmgr_certificates_by_expiry",
      "Certificates neither replaced nor revoked, by calendar days to expiry; each is counted once.",
      by("bucket", byExpiry),
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
export function mergeFamilies(
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

/** Returns the metrics of the queue of writes. */
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

/** Returns metrics of this process. */
export function processFamilies(own: ProcessNumbers | undefined, database: Database): Family[] {
  const { statements, copy, writeQueue } = database;
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
    gauge(
      "certmgr_replica_age_seconds",
      "Time since the copy of the database was last complete.",
      copy === undefined ? [] : [{ value: copy.ageMs / 1000 }],
    ),
    counter("certmgr_database_statements_total", "Statements sent to the database by this process.", [
      { value: statements },
    ]),
    ...writeFamilies(writeQueue),
  ];
}
