/** The threads of the native database library. */

import { BACKGROUND_CONNECTIONS, JOB_CONNECTIONS } from "./limits.ts";

let areProvided = false;

/**
 * Gives the library one thread for each read in the background, and one for writes, which must not wait for
 * reads. The library reads the variable when it starts its threads. Changing the environment while threads
 * read it is not safe, so this must be called once, before the first of them.
 */
export function provideThreads(): void {
  if (areProvided) return;
  areProvided = true;
  Deno.env.set("TOKIO_WORKER_THREADS", String(BACKGROUND_CONNECTIONS + JOB_CONNECTIONS + 1));
}
