/** Pauses: the places at which long work lets other requests run. */

/** Milliseconds by which each look at the clock advances it: a slice of work ends at its next pause. */
const STEP_MS = 10;

/**
 * Returns how often the work lets others run when each of its slices ends at the next pause. Unlike the turns that
 * others really get, the number does not depend on the speed of the machine.
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
