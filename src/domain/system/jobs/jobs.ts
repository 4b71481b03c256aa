/** Scheduled jobs. */

import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, HOUR_MS, type Millis, MINUTE_MS } from "../../../base/clock.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { type Database, deleteFrom, insertInto } from "../../../db/mod.ts";
import { leases } from "../../../db/schema/mod.ts";
import { announceExpiries } from "../../certificates/expiry_notices/announce.ts";
import { prunePreviews } from "../../certificates/import_preview/mod.ts";
import { expirySweep, SWEEP_JOB } from "../../certificates/status/expiry_sweep.ts";
import { storeDailyScore } from "../../compliance/mod.ts";
import { markSilentAgents, pruneObservations } from "../../endpoints/probing/prune_observations.ts";
import { keepIncidents } from "../../incidents/mod.ts";
import { loadRun } from "../../notices/mod.ts";
import { refreshDue } from "../../renewal_info/mod.ts";
import { checkDue } from "../../revocation/mod.ts";
import { pruneDeliveries, recoverDelayed } from "../../webhooks/deliveries/prune_deliveries.ts";
import { pruneAudit } from "../audit_events/prune_audit.ts";
import { pruneChanges } from "../object_changes/prune_changes.ts";
import { evaluateInUse } from "./evaluate_in_use.ts";

/** Interval at which the scheduler checks for due jobs. */
const JOB_TICK_MS = 60_000;

export interface Job {
  readonly name: string;
  readonly intervalMs: number;
  /** Runs the job. The result is logged. Long jobs stop between two steps when the signal is aborted. */
  readonly run: (ctx: Context, signal: AbortSignal | undefined) => Promise<object>;
}

export const JOBS: readonly Job[] = [
  { ...SWEEP_JOB, run: (ctx, signal) => expirySweep({ ctx, signal }) },
  // Hourly, so that notices by day are sent soon after the day begins, and those by percentage of the
  // lifetime in time.
  { name: "expiry-notices", intervalMs: HOUR_MS, run: (ctx, signal) => announceExpiries({ ctx, signal }) },
  // One row per day, updated every hour.
  { name: "compliance-score", intervalMs: HOUR_MS, run: (ctx) => storeDailyScore({ ctx }) },
  // Begins once a day, and continues a minute later if a run takes too long.
  { name: "evaluation", intervalMs: MINUTE_MS, run: (ctx, signal) => evaluateInUse({ ctx, signal }) },
  // Continues a minute later if a run takes too long.
  { name: "revocation", intervalMs: MINUTE_MS, run: (ctx, signal) => checkDue({ ctx, signal }) },
  // Continues a minute later if a run takes too long.
  { name: "renewal-info", intervalMs: MINUTE_MS, run: (ctx, signal) => refreshDue({ ctx, signal }) },
  { name: "webhook-deliveries", intervalMs: HOUR_MS, run: (ctx, signal) => pruneDeliveries({ ctx, signal }) },
  { name: "delayed-deliveries", intervalMs: HOUR_MS, run: (ctx) => recoverDelayed({ ctx }) },
  { name: "change-log", intervalMs: HOUR_MS, run: (ctx, signal) => pruneChanges({ ctx, signal }) },
  { name: "audit-log", intervalMs: DAY_MS, run: (ctx, signal) => pruneAudit({ ctx, signal }) },
  // Before the notices, which it can cause.
  { name: "incidents", intervalMs: MINUTE_MS, run: (ctx, signal) => keepIncidents({ ctx, signal }) },
  {
    name: "notices",
    intervalMs: MINUTE_MS,
    run: async (ctx, signal) => (await loadRun()).runNotices({ ctx, signal }),
  },
  {
    name: "notice-log",
    intervalMs: DAY_MS,
    run: async (ctx, signal) => (await loadRun()).pruneNotices({ ctx, signal }),
  },
  { name: "import-previews", intervalMs: HOUR_MS, run: (ctx) => prunePreviews({ ctx }) },
  { name: "observations", intervalMs: HOUR_MS, run: (ctx, signal) => pruneObservations({ ctx, signal }) },
  { name: "silent-agents", intervalMs: HOUR_MS / 12, run: (ctx) => markSilentAgents({ ctx }) },
];

/**
 * Runs all due jobs. A failure is logged, and the job runs again after its interval.
 * @param signal After it is aborted, no further job starts, and a job that it interrupts is due again at once.
 */
export async function runDueJobs(
  context: () => Context,
  { jobs = JOBS, owner, signal }: {
    jobs?: readonly Job[];
    owner: string;
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  for (const { name, intervalMs, run } of jobs) {
    if (signal?.aborted) return;
    const ctx = context();
    const { database, clock, log, requestId } = ctx;
    try {
      if (!await claimRun(database, { name, owner, now: clock.now(), intervalMs })) continue;
      log.log("info", "job", { name, request_id: requestId, ...await run(ctx, signal) });
      if (signal?.aborted) await releaseRun(database, { name, owner });
    } catch (error) {
      logFailure(log, "job failed", { name, request_id: requestId, error });
    }
  }
}

/**
 * Runs jobs now and when they are due, until stopped. `stop` waits for a running job.
 * @param context Returns a context for each run, with a new request id.
 */
export function startJobs(context: () => Context): { stop: () => Promise<void> } {
  const owner = crypto.randomUUID();
  const stopping = new AbortController();
  const { signal } = stopping;
  let running = runDueJobs(context, { owner, signal });
  const timer = setInterval(() => {
    running = running.then(() => runDueJobs(context, { owner, signal }));
  }, JOB_TICK_MS);
  return {
    stop: (): Promise<void> => {
      clearInterval(timer);
      stopping.abort();
      return running;
    },
  };
}

/**
 * Claims the next run of a job, unless another process claimed one within the interval. One statement.
 * Ignores a claim that ends more than two intervals from now, because a clock far ahead made it. With a limit
 * of one interval, a process with a slightly slow clock would run the job a second time.
 */
export async function claimRun(
  database: Database,
  { name, owner, now, intervalMs }: { name: string; owner: string; now: Millis; intervalMs: number },
): Promise<boolean> {
  const claim = { owner, until: now + intervalMs };
  const claimed = await database.write((tx) =>
    tx.all(
      insertInto(leases).values({ name, ...claim }).onConflictDoUpdate({
        target: leases.name,
        set: claim,
        setWhere: sql`${lte(leases.until, now)} OR ${gt(leases.until, now + 2 * intervalMs)}`,
      }).returning({ name: leases.name }),
    )
  );
  return claimed.length > 0;
}

/** Releases the run that the owner claimed last, so that the job runs again before its interval ends. */
async function releaseRun(
  database: Database,
  { name, owner }: { name: string; owner: string },
): Promise<void> {
  await database.write((tx) =>
    tx.run(deleteFrom(leases).where(and(eq(leases.name, name), eq(leases.owner, owner))))
  );
}
