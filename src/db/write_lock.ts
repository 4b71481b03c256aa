/** One writer at a time in this process, first come first served. */

import { AsyncLocalStorage } from "node:async_hooks";

/** The lock around every write of one database. */
export interface WriteLock {
  /** Runs `work` when all earlier ones have ended. Throws when it is called from within `work` itself. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes a lock. */
export function createWriteLock(): WriteLock {
  let tail: Promise<unknown> = Promise.resolve();
  // What runs under the lock carries its holder; a holder that has ended no longer counts, for work may leave
  // timers and promises behind that write later.
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
        throw new Error("Write was started within a write, want the open transaction to be used");
      }
      const turn = tail.then(() => hold(work));
      tail = turn.catch(() => undefined);
      return await turn;
    },
  };
}
