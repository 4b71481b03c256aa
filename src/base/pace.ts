/**
 * Splits long work into slices, so that other requests run in between. All long work of the process takes turns: one
 * slice at a time, in order of arrival, and after each slice the event loop is free for a while. Ten long requests at
 * once so make another one wait no longer than one of them does.
 */

import { wait } from "./wait.ts";

/** Length of a slice in milliseconds: a delay that a waiting request hardly notices. */
const SLICE_MS = 5;

/** Called between two steps of long work. Yields to the event loop when the slice is used up. */
export type Pause = () => Promise<void> | void;

/** Returns the pause function for one piece of work, whose steps should take a few milliseconds at most. */
export function pacer(sliceMs = SLICE_MS): Pause {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return;
    return nextSlice().then(() => {
      started = performance.now();
    });
  };
}

/** Work that waits for its next slice, in order of arrival. */
const waiting: (() => void)[] = [];
let isResting = false;

/** Waits until the event loop has been idle, once for each piece of work that arrived earlier. */
function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isResting) rest();
  });
}

/** Leaves the event loop to others until it has nothing to do, then starts the next slice. */
function rest(): void {
  isResting = true;
  // Only a timer lets the runtime look for new connections and bytes; immediates and microtasks do not.
  setTimeout(() => {
    waiting.shift()?.();
    isResting = waiting.length > 0;
    // The slice runs before this timer fires, so the next rest begins after it.
    if (isResting) setTimeout(rest, 0);
  }, 0);
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

/** Returns a function that lets `rate` callers pass in a second, evenly; a signal lets one pass at once. */
export function pacedBy(rate: number): (signal?: AbortSignal) => Promise<void> {
  const gap = 1_000 / rate;
  let next = performance.now();
  return async (signal) => {
    const now = performance.now();
    const turn = Math.max(next, now);
    next = turn + gap;
    if (turn > now) await wait(turn - now, signal);
  };
}
