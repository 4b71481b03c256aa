/** Long work in slices: between two of them other requests have their turn. */

/** Milliseconds of work after which others have their turn; a request that waits for one hardly notices. */
const SLICE_MS = 10;

/** Called between two steps of long work; waits where the slice is used up. */
export type Pause = () => Promise<void> | void;

/** Makes the pauses of one piece of work. Steps in between should take a few milliseconds at the most. */
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

/** Runs work that yields between its steps to its end, with a pause at each. */
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

/** Runs such work to its end at once. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
