/**
 * Divides long work into slices, so that other requests run in between. All long work of the process takes
 * turns: one slice at a time, in the order of arrival, and after each slice the event loop is free for a
 * while. So ten long requests delay another request no more than one of them does. Requests that have just begun
 * finish first, except before work that holds a lock; before background work, for which no caller waits, also others.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { wait } from "./wait.ts";

/** Length of a slice in milliseconds: a delay that a waiting request hardly notices. */
const SLICE_MS = 5;
/** Length of a slice of background work in milliseconds; most of it runs on other threads. */
const BACKGROUND_SLICE_MS = 8;
/** Minimum pause after a slice of background work, in milliseconds: a request takes several turns of the event loop. */
const BACKGROUND_REST_MS = 1;
/**
 * Maximum time in milliseconds that background work waits for requests before each slice, because some
 * requests take very long.
 */
const MAX_DEFERRAL_MS = 50;

/** Age in milliseconds until which a request is answered before long work of others goes on. */
const YOUNG_MS = 15;
/** Maximum number of turns of the event loop that long work waits for such requests. */
const MAX_TURNS = 8;

/** Called between two steps of long work. Yields to the event loop when the slice is used up. */
export type Pause = () => Promise<void> | void;

/** Returns the pause function for a piece of work, whose steps should take at most a few milliseconds. */
export function pacer(sliceMs = SLICE_MS): Pause {
  let started = performance.now();
  return () => {
    const { inBackground, isAwaited } = running.getStore() ?? IN_REQUEST;
    const isQuiet = inBackground && !isAwaited;
    if (performance.now() - started < (isQuiet ? BACKGROUND_SLICE_MS : sliceMs)) return;
    return (isQuiet ? untilQuiet() : isAwaited ? nextSlice() : untilAnswered()).then(() => {
      started = performance.now();
    });
  };
}

/** To which work the running code belongs. */
interface Running {
  readonly inBackground: boolean;
  /** Whether it is a part for which others wait, such as one that holds a lock. */
  readonly isAwaited: boolean;
}

const running = new AsyncLocalStorage<Running | undefined>();
const IN_REQUEST: Running = { inBackground: false, isAwaited: false };

/** Runs work for which no caller waits. */
export function inBackground<Result>(work: () => Result): Result {
  return running.run({ inBackground: true, isAwaited: false }, work);
}

/** Runs a part of work for which others wait, such as one that holds a lock. It waits for no requests. */
export function inForeground<Result>(work: () => Result): Result {
  return running.run({ inBackground: isInBackground(), isAwaited: true }, work);
}

/** Runs the work of a request, which is not background work even if background work started it. */
export function inRequest<Result>(work: () => Result): Result {
  return running.run(undefined, work);
}

/** Returns whether the running code belongs to background work, including parts for which others wait. */
export function isInBackground(): boolean {
  return running.getStore()?.inBackground === true;
}

/**
 * Returns whether the caller's request is the only one that waits for this thread. False for background work.
 */
export function isAlone(): boolean {
  return !isInBackground() && openRequests <= 1;
}

/** Number of requests that have begun and not ended. */
let openRequests = 0;
/** Requests for which background work still waits, oldest first, with the time at which they began. */
const recentRequests = new Set<{ readonly began: number }>();
/** Called when none of these requests is left. */
const deferred = new Set<() => void>();

/**
 * Records a request, for which background work waits. Returns the function that records its end and must be
 * called once.
 */
export function beginRequest(): () => void {
  const request = { began: performance.now() };
  openRequests++;
  recentRequests.add(request);
  return () => {
    openRequests--;
    recentRequests.delete(request);
    if (recentRequests.size === 0) { for (const proceed of deferred) proceed(); }
  };
}

/** Returns whether a request of the last `ms` milliseconds is still being answered. Forgets old ones. */
function isAnswering(ms: number): boolean {
  const now = performance.now();
  for (const request of recentRequests) {
    if (request.began >= now - ms) return true;
    if (request.began < now - MAX_DEFERRAL_MS) recentRequests.delete(request);
  }
  return false;
}

/** Waits for its turn, and then for the other requests that have just begun: most take few turns of the event loop. */
async function untilAnswered(): Promise<void> {
  await nextSlice();
  for (let turn = 0; turn < MAX_TURNS && openRequests > 1 && isAnswering(YOUNG_MS); turn++) await nextSlice();
}

/** Waits for its turn, and then for the requests that have begun, up to a limit. */
export async function untilQuiet(): Promise<void> {
  const latest = performance.now() + MAX_DEFERRAL_MS;
  await wait(BACKGROUND_REST_MS);
  await nextSlice();
  for (
    let left = MAX_DEFERRAL_MS;
    isAnswering(MAX_DEFERRAL_MS) && left > 0;
    left = latest - performance.now()
  ) {
    await noRequest(left);
    // Lets requests that have arrived in the meantime begin.
    await nextSlice();
  }
}

/** Waits until no recent request is left, but at most `ms` milliseconds. */
function noRequest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const proceed = (): void => {
      clearTimeout(timer);
      deferred.delete(proceed);
      resolve();
    };
    const timer = setTimeout(proceed, ms);
    deferred.add(proceed);
  });
}

/** Work whose next slice has not begun, in the order of arrival. */
const waiting: (() => void)[] = [];
let isResting = false;

/**
 * Waits for a slice. The event loop is free for a while before each slice, and earlier callers come first.
 */
function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isResting) rest();
  });
}

/** Lets the event loop run until it is idle, then starts the next slice. */
function rest(): void {
  isResting = true;
  // Only a timer lets the runtime check for new connections and bytes. Immediates and microtasks do not.
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
    const paused = pause();
    // Without waiting for a pause that is not due, which takes longer than many a step.
    if (paused !== undefined) await paused;
  }
}

/** Runs a generator to its end without pauses. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Returns a function that lets `rate` callers per second pass, evenly distributed. A signal lets a caller
 * pass at once.
 */
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
