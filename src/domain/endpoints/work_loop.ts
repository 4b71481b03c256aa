/** Background work that runs until the process ends. */

import type { Context } from "../../auth/mod.ts";
import { logFailure } from "../../base/log_failure.ts";
import { wait } from "../../base/wait.ts";

export interface WorkLoop {
  /** Starts no new work, and waits until the results of running work are stored. */
  stop(): Promise<void>;
}

/** Calls `work` repeatedly. Waits for `tickMs` after a turn that did nothing or failed. */
export function startLoop(
  { context, tickMs, name }: { context: () => Context; tickMs: number; name: string },
  work: (signal: AbortSignal) => Promise<boolean>,
): WorkLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      let worked = false;
      try {
        worked = await work(signal);
      } catch (error) {
        // The database may be unavailable for a while. If a lease expires in the meantime, there is only one
        // more turn.
        logFailure(context().log, `${name} failed`, { error });
      }
      if (!worked) await wait(tickMs, signal);
    }
  };
  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}
