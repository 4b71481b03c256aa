/** What the numbers are called outside. */

import type { ProcessNumbers } from "../app_options.ts";
import type { Database } from "../db/mod.ts";
import type { ServiceNumbers } from "../domain/system/metrics/mod.ts";
import { NETBOX_VERSION, VERSION } from "../domain/system/status/mod.ts";
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

/** What was counted in the database: the same whichever process is asked. */
export function serviceFamilies(numbers: ServiceNumbers): Family[] {
  const { byStatus, byExpiry, outbox, outboxAge, deliveries, overdue, jobs } = numbers;
  return [
    gauge("certmgr_certificates", "Certificates by status.", by("status", byStatus)),
    gauge(
      "certmgr_certificates_by_expiry",
      "Certificates neither replaced nor revoked, by calendar days to their end; each is counted once.",
      by("bucket", byExpiry),
    ),
    gauge("certmgr_outbox_events", "Events not yet handed to deliveries.", [{ value: outbox }]),
    gauge("certmgr_outbox_oldest_seconds", "Age of the oldest event not yet handed to deliveries.", [
      { value: outboxAge / 1000 },
    ]),
    gauge("certmgr_webhook_deliveries", "Webhook deliveries in the log, by state.", by("state", deliveries)),
    gauge("certmgr_webhook_overdue_seconds", "How long the next webhook delivery has been due.", [
      { value: overdue / 1000 },
    ]),
    gauge(
      "certmgr_job_last_run_timestamp_seconds",
      "When a scheduled job last began, in any process.",
      Object.entries(jobs).map(([job, at]) => ({ labels: { job }, value: at / 1000 })),
    ),
  ];
}

/** What this process is. */
export function processFamilies(own: ProcessNumbers | undefined, { statements, copy }: Database): Family[] {
  const build = { labels: { version: VERSION, netbox_version: NETBOX_VERSION }, value: 1 };
  const facts = own === undefined ? [] : [
    gauge("process_resident_memory_bytes", "Memory of the process.", [{ value: own.residentBytes }]),
    gauge("process_heap_bytes", "Memory that values take up.", [{ value: own.heapBytes }]),
    gauge("process_start_time_seconds", "Start of the process, in seconds since the epoch.", [
      { value: own.startedAt / 1000 },
    ]),
    counter("certmgr_log_lines_dropped_total", "Lines of the log that its reader did not take in time.", [
      { value: own.logLinesDropped },
    ]),
  ];
  return [
    gauge("certmgr_build_info", "The release that answers; always 1.", [build]),
    ...facts,
    gauge(
      "certmgr_replica_age_seconds",
      "Time since the copy of the database held all that the server had.",
      copy === undefined ? [] : [{ value: copy.ageMs / 1000 }],
    ),
    counter("certmgr_database_statements_total", "Statements that this process has sent to the database.", [
      { value: statements },
    ]),
  ];
}
