/** The threads of the native database library. */

import { BACKGROUND_CONNECTIONS } from "./limits.ts";

/** Gives the library a thread for each long read and one for commits, which must not wait for reads. */
export function provideThreads(): void {
  // It reads the variable when it starts its threads.
  Deno.env.set("TOKIO_WORKER_THREADS", String(BACKGROUND_CONNECTIONS + 1));
}
