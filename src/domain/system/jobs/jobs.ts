/** Scheduled jobs. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/clock.ts";
import type { Context } from "../../../auth/mod.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { storeDailyScore } from "../../compliance/mod.ts";
import { announceExpiries } from "../../certificates/expiry_notices/mod.ts";
import { prunePreviews } from "../../certificates/import_preview/mod.ts";
import { markSilentAgents, pruneObservations } from "../../endpoints/probing/mod.ts";
import { pruneAudit } from "../audit_events/mod.ts";
import { pruneChanges } from "../object_changes/mod.ts";
import { expirySweep, SWEEP_JOB } from "../../certificates/status/mod.ts";
import { pruneDeliveries, recoverDelayed } from "../../webhooks/deliveries/mod.ts";
import { pruneNotices, recordJobResult, runNotices } from "../../notices/mod.ts";
import { claimRun, releaseRun } from "./claim_run.ts";
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
  { name: "webhook-deliveries", intervalMs: HOUR_MS, run: (ctx, signal) => pruneDeliveries({ ctx, signal }) },
  { name: "delayed-deliveries", intervalMs: HOUR_MS, run: (ctx) => recoverDelayed({ ctx }) },
  { name: "change-log", intervalMs: HOUR_MS, run: (ctx, signal) => pruneChanges({ ctx, signal }) },
  { name: "audit-log", intervalMs: DAY_MS, run: (ctx, signal) => pruneAudit({ ctx, signal }) },
  { name: "notices", intervalMs: MINUTE_MS, run: (ctx, signal) => runNotices({ ctx, signal }) },
  { name: "notice-log", intervalMs: DAY_MS, run: (ctx, signal) => pruneNotices({ ctx, signal }) },
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
      await countFailures(ctx, { name });
      if (signal?.aborted) await releaseRun(database, { name, owner });
    } catch (error) {
      logFailure(log, "job failed", { name, request_id: requestId, error });
      await countFailures(ctx, { name, error: error instanceof Error ? error.message : String(error) });
    }
  }
}

/**
 * Counts the failures of a job, for subscriptions. If the result cannot be stored, it is still in the log.
 */
async function countFailures(ctx: Context, result: { name: string; error?: string }): Promise<void> {
  await recordJobResult(ctx, result).catch((error) => {
    logFailure(ctx.log, "job result not stored", { name: result.name, error });
  });
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
