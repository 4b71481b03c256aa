/** Decides when an endpoint is probed next. */

import { type Millis, MINUTE_MS } from "../../../base/clock.ts";
import type { FoundState } from "../states.ts";

/** Minutes between the probes while a renewed certificate is not deployed yet. The last value repeats. */
const WATCH_MINUTES = [1, 2, 5, 10, 30, 60];
/** Minutes after which a failed probe is repeated. */
const FAILED_MINUTES = 15;
/** With this time, an endpoint is probed before all others that are due. */
export const AT_ONCE: Millis = 0;

/** Returns the time of the next probe, and how many times in a row a replaced certificate was found. */
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
  // Up to a tenth earlier or later, so that endpoints that were created together are not always probed
  // together.
  const jitter = 0.9 + Math.random() / 5;
  return { next_probe: now + Math.round(minutes * jitter * MINUTE_MS), watch_step: null };
}
