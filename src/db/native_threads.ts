/** The threads of the native database library. */

import { BACKGROUND_CONNECTIONS, JOB_CONNECTIONS } from "./limits.ts";

let areProvided = false;

/**
 * Gives the library a thread for each read in the background and one for writes, which must not wait for reads. It reads
 * the variable when it starts its threads, and to change the environment while threads read it is not safe: once, before
 * the first.
 */
export function provideThreads(): void {
  if (areProvided) return;
  areProvided = true;
  Deno.env.set("TOKIO_WORKER_THREADS", String(BACKGROUND_CONNECTIONS + JOB_CONNECTIONS + 1));
}
