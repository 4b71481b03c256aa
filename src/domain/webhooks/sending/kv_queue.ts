/**
 * The queue of a service: a Deno KV queue. It is in memory, so a full disk cannot stop it, and its hints are lost
 * when the process ends. Other processes do not receive them.
 */

import type { Queue } from "./deliver.ts";

/** Opens a queue. */
export async function openKvQueue(): Promise<Queue> {
  const kv = await Deno.openKv(":memory:");
  let listening = Promise.resolve();
  let isClosed = false;
  return {
    send(id, delayMs = 0): void {
      // The sweep finds what a hint was about that cannot be sent, such as one after the end.
      kv.enqueue(id, { delay: Math.max(0, delayMs) }).catch(() => {});
    },
    listen(listener): void {
      // Without waiting for it, because Deno repeats a message whose handler takes more than five seconds.
      listening = kv.listenQueue((id) => void listener(Number(id)));
    },
    async close(): Promise<void> {
      if (!isClosed) kv.close();
      isClosed = true;
      await listening;
    },
  };
}
