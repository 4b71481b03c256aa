/** Counts pauses, at which long work lets other requests run. */

/** Milliseconds by which each reading of the clock advances it, so that a slice of work ends at its next pause. */
const STEP_MS = 10;

/**
 * Returns how often the work pauses when each of its slices ends at the next pause. Unlike the number of requests that
 * really run in between, it does not depend on the speed of the machine.
 */
export async function countPauses(
  work: () => Promise<unknown>,
): Promise<number> {
  const { now } = performance;
  const { setTimeout } = globalThis;
  let time = now.call(performance);
  let pauses = 0;
  performance.now = () => time += STEP_MS;
  globalThis.setTimeout = ((callback: () => void, ms?: number, ...values: []): unknown => {
    if (ms !== 0) return setTimeout(callback, ms, ...values);
    pauses++;
    return queueMicrotask(callback);
  }) as typeof setTimeout;
  try {
    await work();
  } finally {
    performance.now = now;
    globalThis.setTimeout = setTimeout;
  }
  return pauses;
}
