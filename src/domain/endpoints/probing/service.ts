/** Leases endpoints that are due, and probes them: the loop of a long-running process. */

import { inArray, lte } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { pacedBy } from "../../../base/pace.ts";
import { type Database, select, update } from "../../../db/mod.ts";
import { endpoints } from "../../../db/schema/mod.ts";
import type { Probe, ProbeProtocol, ProbeTarget } from "../../../probe/mod.ts";
import { startLoop, type WorkLoop } from "../work_loop.ts";
import { SETTLE_BATCH, settleReports } from "./settle.ts";
import type { ProbeReport } from "./evaluate.ts";

/** Duration of a lease: longer than a probe with its retry, shorter than a minute. */
const LEASE_MS = 45_000;

export interface ClaimedEndpoint {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly server_name: string | null;
  readonly protocol: ProbeProtocol;
}

/**
 * Leases due endpoints: first those whose probe was requested, then those that have waited longest. Another
 * process can lease an endpoint when its lease has expired. One statement.
 */
export async function claimEndpoints(
  database: Database,
  { owner, now, limit }: { owner: string; now: Millis; limit: number },
): Promise<ClaimedEndpoint[]> {
  const { id, host, port, server_name, protocol, next_probe } = endpoints;
  const due = select({ id }).from(endpoints).where(lte(next_probe, now)).orderBy(next_probe).limit(limit);
  // Most of the time nothing is due, and reading does not lock the database.
  if ((await database.all(due)).length === 0) return [];
  return await database.write((tx) =>
    tx.all<ClaimedEndpoint>(
      update(endpoints).set({ lease_owner: owner, next_probe: now + LEASE_MS }).where(inArray(id, due))
        .returning({ id, host, port, server_name, protocol }),
    )
  );
}

const SLOTS_PER_HOST = 2;
/**
 * Maximum number of probes started per second, so that other requests hardly notice when thousands are due at
 * once.
 */
const STARTS_PER_SECOND = 20;
/** Milliseconds between two searches for due endpoints. Each search and each store is a commit. */
const TICK_MS = 2_000;
/** Maximum number of endpoints that are leased at once: those that can start before the next search. */
const MAX_CLAIMED = STARTS_PER_SECOND * TICK_MS / 1_000;
/** Duration of the longest probe: it resolves a name, cannot connect, and tries again. */
const LONGEST_PROBE_MS = 25_000;
/** Time after its claim within which a probe may start, so that its result is stored within the lease. */
const START_WITHIN_MS = LEASE_MS - LONGEST_PROBE_MS - 2 * TICK_MS;

export function probeTargetOf(
  { host, port, server_name, protocol }: Omit<ClaimedEndpoint, "id">,
): ProbeTarget {
  return { host, port, serverName: server_name ?? host, protocol };
}

/** Number of endpoints that a run has claimed, and of results that it has stored. */
export interface ProbeRun {
  readonly claimed: number;
  readonly settled: number;
}

export interface ProberOptions {
  readonly context: () => Context;
  readonly probe: Probe;
  /** The owner of the leases. */
  readonly owner: string;
  readonly startsPerSecond?: number;
}

/**
 * Probes leased endpoints: as many at a time as the setting says, but only two per host. Results are stored
 * together, so that many share a transaction.
 */
export class Prober {
  readonly #options: ProberOptions;
  readonly #pace: () => Promise<void>;
  /** Claimed but not started, because others of their host are being probed. */
  #waiting: { readonly endpoint: ClaimedEndpoint; readonly startUntil: number }[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #busyHosts = new Map<string, number>();
  #reports: ProbeReport[] = [];
  #stopped = false;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#pace = pacedBy(options.startsPerSecond ?? STARTS_PER_SECOND);
  }

  /** Leases as many due endpoints as there are free slots, and starts to probe them. Returns their number. */
  async claim(): Promise<number> {
    const { database, clock, settings } = this.#options.context();
    const free = settings.probing.concurrency - this.#running.size - this.#waiting.length;
    const limit = Math.min(free, MAX_CLAIMED);
    if (limit <= 0) return 0;
    const now = clock.now();
    const claimed = await claimEndpoints(database, { owner: this.#options.owner, now, limit });
    this.#waiting.push(...claimed.map((endpoint) => ({ endpoint, startUntil: now + START_WITHIN_MS })));
    this.#start();
    return claimed.length;
  }

  /** Stores the complete results. Returns the number of stored observations. */
  async settle(): Promise<number> {
    let settled = 0;
    while (this.#reports.length > 0) {
      const batch = this.#reports.splice(0, SETTLE_BATCH);
      const { context, owner } = this.#options;
      const { created, updated } = await settleReports(context(), batch, { lease: owner });
      settled += created + updated;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return settled;
  }

  /** Starts no new probes, and stores the results of running ones. The leases of waiting endpoints expire. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = [];
    await this.finish();
    await this.settle();
  }

  async finish(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Starts waiting probes. Those that have waited too long are left to the next claim. */
  #start(): void {
    const now = this.#options.context().clock.now();
    this.#waiting = this.#waiting.filter(({ startUntil }) => startUntil >= now).filter(({ endpoint }) => {
      if ((this.#busyHosts.get(endpoint.host) ?? 0) >= SLOTS_PER_HOST) return true;
      this.#occupy(endpoint.host, 1);
      const run = this.#probe(endpoint);
      this.#running.add(run);
      run.finally(() => {
        this.#running.delete(run);
        this.#occupy(endpoint.host, -1);
        this.#start();
      });
      return false;
    });
  }

  #occupy(host: string, slots: number): void {
    const busy = (this.#busyHosts.get(host) ?? 0) + slots;
    if (busy === 0) this.#busyHosts.delete(host);
    else this.#busyHosts.set(host, busy);
  }

  async #probe(endpoint: ClaimedEndpoint): Promise<void> {
    await this.#pace();
    if (this.#stopped) return;
    const { context, probe } = this.#options;
    try {
      const { allowedNetworks } = context().settings.probing;
      const answers = await probe(probeTargetOf(endpoint), { allowedNetworks });
      this.#reports.push({ endpointId: endpoint.id, source: "probe", at: context().clock.now(), answers });
    } catch (error) {
      logFailure(context().log, "probe failed", { error });
    }
  }
}

/** Leases due endpoints, probes them, and stores the results. */
export async function probeDue(options: ProberOptions): Promise<ProbeRun> {
  const prober = new Prober(options);
  const claimed = await prober.claim();
  await prober.finish();
  return { claimed, settled: await prober.settle() };
}

/** Starts to probe endpoints when they are due. `context` returns a new context of the service itself. */
export function startProbing(
  { context, probe, tickMs = TICK_MS }: { context: () => Context; probe: Probe; tickMs?: number },
): WorkLoop {
  const prober = new Prober({ context, probe, owner: crypto.randomUUID() });
  const loop = startLoop({ context, tickMs, name: "probing" }, async () => {
    await prober.settle();
    await prober.claim();
    // The next turn stores the results of endpoints that are claimed in the meantime.
    return false;
  });
  return {
    async stop(): Promise<void> {
      await loop.stop();
      await prober.stop();
    },
  };
}
