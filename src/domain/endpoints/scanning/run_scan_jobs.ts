/** Runs stored scan jobs when they are due: searches their networks for servers that speak TLS. */

import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { textOf } from "../../../base/findings.ts";
import { type Millis, MINUTE_MS } from "../../../base/clock.ts";
import { readHostName } from "../../../base/host_name.ts";
import { pacedBy } from "../../../base/pace.ts";
import { type Database, select, update } from "../../../db/mod.ts";
import { scan_jobs } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import type { Probe, ProbeAnswer } from "../../../probe/mod.ts";
import type { WriteCall } from "../../../resource/mod.ts";
import { parseCertificate } from "../../../x509/mod.ts";
import { createFound, type EndpointAddress, existingEndpoints } from "../found_endpoints.ts";
import { settleReports } from "../probing/settle.ts";
import { endpoints } from "../resource.ts";
import { refusedNetworks, type ScanTarget, scanTargets } from "../scan_targets.ts";
import { startLoop, type WorkLoop } from "../work_loop.ts";

/** Time limits of a scan, because most addresses do not respond. */
const CONNECT_MS = 2_000;
const TOTAL_MS = 5_000;

/** What to scan, and how fast. */
export interface ScanPlan {
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** Maximum number of connections per second. */
  readonly rate: number;
  readonly concurrency: number;
  readonly allowedNetworks: readonly string[];
}

export interface ScanHit {
  readonly target: ScanTarget;
  readonly answer: ProbeAnswer;
}

/**
 * Connects once to every address and port, and calls `onHit` for those that present certificates. Starts no
 * new connections after the signal. Returns the number of connections.
 */
export async function scan(
  plan: ScanPlan,
  { probe, onHit, signal }: {
    probe: Probe;
    onHit: (hit: ScanHit) => Promise<void>;
    signal?: AbortSignal | undefined;
  },
): Promise<number> {
  const targets = scanTargets(plan.networks, plan.ports);
  const pace = pacedBy(plan.rate);
  let tried = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const { value, done } = targets.next();
      if (done === true) return;
      await pace(signal);
      if (signal?.aborted === true) return;
      tried++;
      const [answer] = await probe(
        { host: value.address, port: value.port, serverName: value.address, protocol: "tls" },
        { allowedNetworks: plan.allowedNetworks, retry: false, connectMs: CONNECT_MS, totalMs: TOTAL_MS },
      );
      if (answer?.presented !== undefined) await onHit({ target: value, answer });
    }
  };
  await Promise.all(Array.from({ length: plan.concurrency }, worker));
  return tried;
}

const LEASE_MS = 45_000;
/** A running job stops within this time after it was disabled, changed or deleted. */
const RENEW_MS = 5_000;
/** Number of servers that one transaction stores. */
const HITS_BATCH = 25;
/** Milliseconds between two searches for due scan jobs. */
const TICK_MS = 5_000;

interface DueJob {
  readonly id: number;
  readonly networks: string;
  readonly ports: string;
  readonly rate: number;
  readonly interval_minutes: number;
  readonly tenant_id: number | null;
}

/**
 * Leases a due scan job and runs it. Returns whether there was one. The lease is renewed while the job runs,
 * so that another process takes over within a minute if this one dies. It then recognizes addresses that were
 * already found.
 */
export async function runScanJob(
  context: () => Context,
  { probe, owner, signal, renewMs = RENEW_MS }: {
    probe: Probe;
    owner: string;
    signal?: AbortSignal | undefined;
    renewMs?: number;
  },
): Promise<boolean> {
  const ctx = context();
  const { database, clock, settings } = ctx;
  const started = clock.now();
  const job = await claimJob(database, { owner, now: started });
  if (job === undefined) return false;
  const plan: ScanPlan = {
    networks: JSON.parse(job.networks),
    ports: JSON.parse(job.ports),
    rate: job.rate,
    concurrency: settings.probing.concurrency,
    allowedNetworks: settings.probing.allowedNetworks,
  };
  // The setting may have changed since the job was stored.
  const [refused] = refusedNetworks(plan.networks, plan.allowedNetworks);
  const result = refused === undefined
    ? await runPlan(context, { plan, job, probe, owner, signal, renewMs })
    : { error: textOf(refused) };
  const next = signal?.aborted === true ? clock.now() : started + job.interval_minutes * MINUTE_MS;
  // A job that was changed in the meantime keeps its new schedule, and shows how far this run got.
  const own = eq(scan_jobs.lease_owner, owner);
  await database.write((tx) =>
    tx.run(
      update(scan_jobs).set({
        last_result: JSON.stringify(result),
        next_run: sql`iif(${own}, ${next}, ${scan_jobs.next_run})`,
        lease_owner: sql`iif(${own}, NULL, ${scan_jobs.lease_owner})`,
      }).where(and(eq(scan_jobs.id, job.id), eq(scan_jobs.last_run, started))),
    )
  );
  return true;
}

/** Counts of a run, and whether it was stopped before it had tried all addresses. */
interface RunResult {
  readonly addresses: number;
  readonly answered: number;
  readonly created: number;
  readonly known: number;
  readonly stopped: boolean;
}

async function runPlan(
  context: () => Context,
  { plan, job, probe, owner, signal, renewMs }: {
    plan: ScanPlan;
    job: DueJob;
    probe: Probe;
    owner: string;
    signal: AbortSignal | undefined;
    renewMs: number;
  },
): Promise<RunResult> {
  const ctx = context();
  const lost = new AbortController();
  const stopping = AbortSignal.any([lost.signal, ...(signal === undefined ? [] : [signal])]);
  const renewing = setInterval(() => {
    renew(ctx.database, { id: job.id, owner, until: ctx.clock.now() + LEASE_MS })
      .then((held) => held || lost.abort(), () => {});
  }, renewMs);
  const hits: ScanHit[] = [];
  const counts = { answered: 0, created: 0 };
  const store = async (): Promise<void> => {
    counts.created += await storeHits(context(), hits.splice(0), { tenantId: job.tenant_id });
  };
  try {
    const addresses = await scan(plan, {
      probe,
      signal: stopping,
      onHit: async (hit) => {
        counts.answered++;
        hits.push(hit);
        if (hits.length >= HITS_BATCH) await store();
      },
    });
    await store();
    return {
      addresses,
      answered: counts.answered,
      created: counts.created,
      known: counts.answered - counts.created,
      stopped: stopping.aborted,
    };
  } finally {
    clearInterval(renewing);
  }
}

async function claimJob(
  database: Database,
  { owner, now }: { owner: string; now: Millis },
): Promise<DueJob | undefined> {
  const { id, networks, ports, rate, interval_minutes, tenant_id, next_run } = scan_jobs;
  const due = select({ id }).from(scan_jobs).where(lte(next_run, now)).orderBy(next_run).limit(1);
  if ((await database.all(due)).length === 0) return undefined;
  const [job] = await database.write((tx) =>
    tx.all<DueJob>(
      update(scan_jobs).set({
        lease_owner: owner,
        next_run: now + LEASE_MS,
        last_run: now,
        last_result: null,
      }).where(inArray(id, due)).returning({ id, networks, ports, rate, interval_minutes, tenant_id }),
    )
  );
  return job;
}

/** Returns whether this process may continue the job: it may have been disabled, changed or deleted. */
async function renew(
  database: Database,
  { id, owner, until }: { id: number; owner: string; until: Millis },
): Promise<boolean> {
  const changed = await database.write((tx) =>
    tx.run(
      update(scan_jobs).set({ next_run: until })
        .where(and(eq(scan_jobs.id, id), eq(scan_jobs.lease_owner, owner))),
    )
  );
  return changed > 0;
}

/** Starts to run scan jobs when they are due, one at a time in this process. */
export function startScanning(
  { context, probe, tickMs = TICK_MS }: { context: () => Context; probe: Probe; tickMs?: number },
): WorkLoop {
  const owner = crypto.randomUUID();
  return startLoop(
    { context, tickMs, name: "scanning" },
    (signal) => runScanJob(context, { probe, owner, signal }),
  );
}

/**
 * Creates endpoints for servers whose address and port no endpoint has, and stores what they presented.
 * Returns the number of created endpoints. The number of statements does not depend on the number of servers.
 */
export async function storeHits(
  given: Context,
  hits: readonly ScanHit[],
  { tenantId }: { tenantId: number | null },
): Promise<number> {
  if (hits.length === 0) return 0;
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const created = await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: endpoints, allowed: EVERYTHING };
    const addresses = hits.map(scannedEndpoint);
    const known = new Set(
      (await existingEndpoints(call, addresses, { anyName: true })).map(({ place }) => place),
    );
    const unknown = (_: unknown, index: number): boolean => !known.has(index);
    const ids = await createFound(call, addresses.filter(unknown), { source: "scan", tenantId });
    const answers = hits.filter(unknown).map(({ answer }) => answer);
    return ids.map((endpointId, index) => ({ endpointId, answers: answers.slice(index, index + 1) }));
  });
  const at = ctx.clock.now();
  await settleReports(ctx, created.map((one) => ({ ...one, source: "probe", at })));
  return created.length;
}

/**
 * Returns the endpoint with the first name of the certificate as its server name, because clients use names,
 * not addresses.
 */
export function scannedEndpoint({ target, answer }: ScanHit): EndpointAddress {
  const der = answer.presented?.certificates[0];
  const names = der === undefined ? [] : parseCertificate(der).certificate?.subjectAltNames ?? [];
  const [name = null] = names.flatMap(({ kind, value }) => kind === "dns" ? readHostName(value) ?? [] : []);
  return { host: target.address, port: target.port, server_name: name, protocol: "tls" };
}
