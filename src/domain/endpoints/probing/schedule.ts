/** When an endpoint is probed next. */

import { type Millis, MINUTE_MS } from "../../../base/clock.ts";
import type { FoundState } from "../states.ts";

/** Minutes between the probes that wait for a renewed certificate to be deployed; the last one repeats. */
const WATCH_MINUTES = [1, 2, 5, 10, 30, 60];
/** Minutes after which an endpoint that failed is tried again. */
const FAILED_MINUTES = 15;
/** An endpoint with this time is probed before all that are due. */
export const AT_ONCE: Millis = 0;

/** Returns the next time, and how often a replaced certificate was found in a row. */
export function nextProbe(
  { state, states, intervalMinutes, watchStep }: {
    state: FoundState;
    states: readonly FoundState[];
    intervalMinutes: number;
    watchStep: number | null;
  },
  now: Millis,
): { next_probe: Millis; watch_step: number | null } {
  if (states.includes("superseded")) {
    const step = watchStep ?? 0;
    const wait = WATCH_MINUTES[step] ?? WATCH_MINUTES.at(-1) as number;
    return { next_probe: now + Math.min(wait, intervalMinutes) * MINUTE_MS, watch_step: step + 1 };
  }
  const failed = state === "unreachable" || state === "tls_error";
  const minutes = failed ? Math.min(FAILED_MINUTES, intervalMinutes) : intervalMinutes;
  // Up to a tenth earlier or later: endpoints that were created together must not stay together.
  const jitter = 0.9 + Math.random() / 5;
  return { next_probe: now + Math.round(minutes * jitter * MINUTE_MS), watch_step: null };
}
