/**
 * A queue within a process. It needs no file, so a full disk cannot stop it. Another process on the same
 * database finds messages without a hint by its own sweep.
 */

import type { Hint, HintListener, Queue } from "./queue.ts";

/** Creates a queue. Its hints are lost when the process ends. */
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
        // Ignored: the next sweep finds the message.
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
