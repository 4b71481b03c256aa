/** What the service does on its own, and when. */

import type { Context } from "../../../auth/mod.ts";
import { JOB_TICK_MS } from "../../../base/limits.ts";
import { logFailure } from "../../../base/log_failure.ts";
import { storeDailyScore } from "../../compliance/mod.ts";
import { announceExpiries } from "../../certificates/expiry_notices/mod.ts";
import { prunePreviews } from "../../certificates/import_preview/mod.ts";
import { pruneChanges } from "../object_changes/mod.ts";
import { expirySweep } from "../../certificates/status/mod.ts";
import { pruneDeliveries, recoverDelayed } from "../../webhooks/deliveries/mod.ts";
import { claimRun } from "./claim_run.ts";

/** A scheduled job. */
export interface Job {
  readonly name: string;
  readonly intervalMs: number;
  /** Does the work; what it gives is logged. Long work ends early, between two parts of it, on the signal. */
  readonly run: (ctx: Context, signal: AbortSignal | undefined) => Promise<object>;
}

const HOUR_MS = 3_600_000;

/** The jobs. */
export const JOBS: readonly Job[] = [
  { name: "expiry-sweep", intervalMs: HOUR_MS, run: (ctx) => expirySweep({ ctx }) },
  // By the hour, so that a day's are told soon after it has begun, and parts of lifetimes when they are reached.
  { name: "expiry-notices", intervalMs: HOUR_MS, run: (ctx, signal) => announceExpiries({ ctx, signal }) },
  // One row a day, brought up to date by the hour.
  { name: "compliance-score", intervalMs: HOUR_MS, run: (ctx) => storeDailyScore({ ctx }) },
  { name: "webhook-deliveries", intervalMs: HOUR_MS, run: (ctx, signal) => pruneDeliveries({ ctx, signal }) },
  { name: "delayed-deliveries", intervalMs: HOUR_MS, run: (ctx) => recoverDelayed({ ctx }) },
  { name: "change-log", intervalMs: HOUR_MS, run: (ctx, signal) => pruneChanges({ ctx, signal }) },
  { name: "import-previews", intervalMs: HOUR_MS, run: (ctx) => prunePreviews({ ctx }) },
];

/** Runs every job that is due. One that fails is logged and comes again at its next interval. */
export async function runDueJobs(
  context: () => Context,
  { jobs = JOBS, owner, signal }: {
    jobs?: readonly Job[];
    owner: string;
    signal?: AbortSignal | undefined;
  },
): Promise<void> {
  for (const { name, intervalMs, run } of jobs) {
    const ctx = context();
    const { database, clock, log, requestId } = ctx;
    try {
      if (!await claimRun(database, { name, owner, now: clock.now(), intervalMs })) continue;
      log.log("info", "job", { name, request_id: requestId, ...await run(ctx, signal) });
    } catch (error) {
      logFailure(log, "job failed", { name, request_id: requestId, error });
    }
  }
}

/**
 * Runs jobs now and again whenever they are due, until stopped; stopping waits for one that is running.
 * @param context makes a context for each run, with a request id of its own.
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
