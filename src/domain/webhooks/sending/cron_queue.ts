/**
 * The queue of the edge, which has none: a cron job sends each minute what is due. Hints are dropped, because the
 * isolate may end after its response.
 */

import type { Queue } from "./deliver.ts";

/** Creates a queue. Its listener is called each minute, and the platform waits for it. */
export function cronQueue(): Queue {
  const closing = new AbortController();
  return {
    send: () => {},
    listen(listener): void {
      Deno.cron("certmgr", "* * * * *", { signal: closing.signal }, () => listener(0));
    },
    close(): Promise<void> {
      closing.abort();
      return Promise.resolve();
    },
  };
}
