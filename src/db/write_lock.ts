/** A lock that serializes the writes of this process in order of arrival. */

import { AsyncLocalStorage } from "node:async_hooks";

/** The lock around every write of one database. */
export interface WriteLock {
  /** Runs `work` after all earlier calls have ended. Throws if called from within `work`. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a lock. */
export function createWriteLock(): WriteLock {
  let tail: Promise<unknown> = Promise.resolve();
  // Code that runs under the lock inherits its holder. A closed holder is ignored, because timers and promises that
  // outlive the work may write later.
  const current = new AsyncLocalStorage<{ open: boolean }>();

  async function hold<T>(work: () => Promise<T>): Promise<T> {
    const holder = { open: true };
    try {
      return await current.run(holder, work);
    } finally {
      holder.open = false;
    }
  }

  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (current.getStore()?.open) {
        throw new Error("A write was started within a write. Use the open transaction");
      }
      const turn = tail.then(() => hold(work));
      tail = turn.catch(() => undefined);
      return await turn;
    },
  };
}
