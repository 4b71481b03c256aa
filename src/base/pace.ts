/** Splits long work into slices, so that other requests run in between. */

/** Length of a slice in milliseconds: a delay that a waiting request hardly notices. */
const SLICE_MS = 10;

/** Called between two steps of long work. Yields to the event loop when the slice is used up. */
export type Pause = () => Promise<void> | void;

/** Returns the pause function for one piece of work, whose steps should take a few milliseconds at most. */
export function pacer(sliceMs = SLICE_MS): Pause {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return;
    return new Promise((resolve) =>
      setTimeout(() => {
        started = performance.now();
        resolve();
      }, 0)
    );
  };
}

/** Runs a generator to its end with a pause at each `yield`. */
export async function inSlices<Result>(
  work: Generator<void, Result>,
  pause: Pause = pacer(),
): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Runs a generator to its end without pauses. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
