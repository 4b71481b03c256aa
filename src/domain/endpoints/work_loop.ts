/** Work that goes on for as long as the process runs. */

import type { Context } from "../../auth/mod.ts";
import { logFailure } from "../../base/log_failure.ts";

/** Running work. */
export interface WorkLoop {
  /** Starts nothing new, and waits until what runs is stored. */
  stop(): Promise<void>;
}

/** Calls `work` again and again; after a turn without work, or a failed one, it waits for `tickMs`. */
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
        // The database may be unavailable for a while; a lease that ends meanwhile only means another turn.
        logFailure(context().log, `${name} failed`, { error });
      }
      if (!worked) await pause(tickMs, signal);
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

/** Waits, but not longer than until the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
