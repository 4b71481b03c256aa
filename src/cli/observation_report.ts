/** Reports the observations of an agent or a scan to a running service. */

import { wait } from "../base/wait.ts";
import { MAX_PRESENTED, presentedExcess } from "../domain/endpoints/mod.ts";
import type { ProbeAnswer } from "../probe/mod.ts";
import { encodePem } from "../x509/mod.ts";
import { CommandError } from "./failure.ts";
import { printNote } from "./output.ts";
import { callService, type ServiceAddress, ServiceRefusal } from "./service_client.ts";

/** An observation, in the format that the service accepts. */
export type Observation = Readonly<Partial<Record<Member, unknown>>>;
type Member =
  | ("host" | "port" | "protocol" | "address" | "at" | "latency_ms" | "presented" | "error" | "error_kind")
  | ("tls_version" | "cipher" | "alpn" | "ocsp_stapled" | "possession");

/** Certificates by location. */
export interface LocatedCertificate {
  readonly location: string;
  readonly presented: readonly string[];
}

/** A report: its content and its source. */
export interface ObservationReport {
  readonly agent: string;
  readonly source: "agent" | "scan";
  readonly observations: readonly Observation[];
  readonly certificates: readonly LocatedCertificate[];
}

/** The responses to all batches, added up. */
export interface ReportTotals {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly certificates_created: number;
  readonly errors: readonly { readonly message: string }[];
}

/**
 * Maximum number of items and characters per request. The service accepts 500 items, and 10 MiB by default.
 */
const MAX_ITEMS = 100;
const MAX_CHARS = 2 * 1024 * 1024;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 300_000;

/** Returns the members of an observation that depend on the result of the probe. */
export function observationOf({ address, latencyMs, presented, failure }: ProbeAnswer): Observation {
  if (presented === undefined) return { address, error: failure?.message, error_kind: failure?.kind };
  const certificates = presented.certificates.slice(0, MAX_PRESENTED).map((der) => encodePem(der));
  const excess = presentedExcess(certificates);
  if (excess !== undefined) {
    return { address, error: `The server presents ${excess}.`, error_kind: "tls_error" };
  }
  return {
    address,
    latency_ms: latencyMs,
    presented: certificates,
    tls_version: presented.tlsVersion,
    cipher: presented.cipher,
    alpn: presented.alpn,
    ocsp_stapled: presented.ocspStapled,
    possession: presented.possession,
    error: presented.fault,
  };
}

/**
 * Sends everything in batches. Reports are idempotent, so a batch is sent again if its response was lost.
 * Errors: CommandError if the service refuses it, or after the last attempt.
 */
export async function sendReport(
  service: ServiceAddress,
  { agent, source, ...items }: ObservationReport,
  { attempts, signal }: { attempts: number; signal?: AbortSignal },
): Promise<ReportTotals> {
  const total = { created: 0, updated: 0, unchanged: 0, certificates_created: 0 };
  const errors: { message: string }[] = [];
  for (const batch of batchesOf(items)) {
    const answer = await sendPatiently(service, { agent, source, ...batch }, { attempts, signal });
    if (answer === undefined) break;
    total.created += answer.created;
    total.updated += answer.updated;
    total.unchanged += answer.unchanged;
    total.certificates_created += answer.certificates_created;
    errors.push(...answer.errors);
  }
  return { ...total, errors };
}

type Batch = Pick<ObservationReport, "observations" | "certificates">;

function emptyBatch(): { observations: Observation[]; certificates: LocatedCertificate[] } {
  return { observations: [], certificates: [] };
}

function* batchesOf({ observations, certificates }: Batch): Generator<Batch> {
  let batch = emptyBatch();
  let count = 0;
  let chars = 0;
  for (const item of [...observations, ...certificates]) {
    const { length } = JSON.stringify(item);
    if (count === MAX_ITEMS || count > 0 && chars + length > MAX_CHARS) {
      yield batch;
      batch = emptyBatch();
      count = chars = 0;
    }
    if ("location" in item) batch.certificates.push(item);
    else batch.observations.push(item);
    count++;
    chars += length;
  }
  if (count > 0) yield batch;
}

/**
 * Repeats a request with growing delays while the service is unreachable or overloaded. A refused request is
 * not repeated.
 */
async function sendPatiently(
  service: ServiceAddress,
  body: unknown,
  { attempts, signal }: { attempts: number; signal: AbortSignal | undefined },
): Promise<ReportTotals | undefined> {
  for (let attempt = 1; signal?.aborted !== true; attempt++) {
    try {
      return await callService<ReportTotals>(service, { path: "observations/push/", body, signal });
    } catch (error) {
      if (signal?.aborted) return undefined;
      const refused = error instanceof ServiceRefusal && error.status < 500 && error.status !== 429;
      if (!(error instanceof CommandError) || refused || attempt >= attempts) throw error;
      printNote(`certmgr: ${error.message} Trying again.`);
      await wait(Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS), signal);
    }
  }
  return undefined;
}
