/** What the service does on its own, and when. */

import type { Context } from "../../access/mod.ts";
import { JOB_TICK_MS } from "../../base/limits.ts";
import { storeDailyScore } from "../compliance/mod.ts";
import { prunePreviews } from "../import_preview/mod.ts";
import { expirySweep } from "../status_changes/mod.ts";
import { pruneDeliveries } from "../webhook_deliveries/mod.ts";
import { claimRun } from "./claim_run.ts";

/** A scheduled job. */
export interface Job {
  readonly name: string;
  readonly intervalMs: number;
  /** Does the work; what it gives is logged. */
  readonly run: (ctx: Context) => Promise<object>;
}

const HOUR_MS = 3_600_000;

/** The jobs. */
export const JOBS: readonly Job[] = [
  { name: "expiry-sweep", intervalMs: HOUR_MS, run: (ctx) => expirySweep({ ctx }) },
  // One row a day, brought up to date by the hour.
  { name: "compliance-score", intervalMs: HOUR_MS, run: (ctx) => storeDailyScore({ ctx }) },
  { name: "webhook-deliveries", intervalMs: HOUR_MS, run: (ctx) => pruneDeliveries({ ctx }) },
  { name: "import-previews", intervalMs: HOUR_MS, run: (ctx) => prunePreviews({ ctx }) },
];

/** Runs every job that is due. One that fails is logged and comes again at its next interval. */
export async function runDueJobs(
  context: () => Context,
  { jobs = JOBS, owner }: { jobs?: readonly Job[]; owner: string },
): Promise<void> {
  for (const { name, intervalMs, run } of jobs) {
    const ctx = context();
    const { database, clock, log, requestId } = ctx;
    try {
      if (!await claimRun(database, { name, owner, now: clock.now(), intervalMs })) continue;
      log.log("info", "job", { name, request_id: requestId, ...await run(ctx) });
    } catch (error) {
      log.log("error", "job failed", {
        name,
        request_id: requestId,
        error: error instanceof Error ? error.stack ?? error.message : String(error),
      });
    }
  }
}

/**
 * Runs jobs now and again whenever they are due, until stopped; stopping waits for one that is running.
 * @param context makes a context for each run, with a request id of its own.
 */
export function startJobs(context: () => Context): { stop: () => Promise<void> } {
  const owner = crypto.randomUUID();
  let running = runDueJobs(context, { owner });
  const timer = setInterval(() => {
    running = running.then(() => runDueJobs(context, { owner }));
  }, JOB_TICK_MS);
  return {
    stop: (): Promise<void> => {
      clearInterval(timer);
      return running;
    },
  };
}
