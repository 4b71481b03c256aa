/**
 * The queue: within this process. It needs no file, so a full disk cannot end it, and another process on the same
 * database finds what it was not notified of by its sweep.
 */

import type { Hint, HintListener, Queue } from "./queue.ts";

/** Makes a queue that forgets its hints with the process. */
export function memoryQueue(): Queue {
  const waiting: Hint[] = [];
  let listener: HintListener | undefined;
  let closed = false;

  function flush(): void {
    while (listener !== undefined && !closed && waiting.length > 0) {
      const hint = waiting.shift() as Hint;
      try {
        listener(hint);
      } catch {
        // The sweep finds what it was about.
      }
    }
  }

  return {
    send(hint): Promise<void> {
      if (!closed) {
        waiting.push(hint);
        queueMicrotask(flush);
      }
      return Promise.resolve();
    },
    listen(given): void {
      listener = given;
      queueMicrotask(flush);
    },
    close(): Promise<void> {
      closed = true;
      waiting.length = 0;
      return Promise.resolve();
    },
  };
}
