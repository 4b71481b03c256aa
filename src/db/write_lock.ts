/**
 * A lock that serializes the writes of this process in order of arrival. If several worker processes share
 * the database, they take turns, each for a few writes, because SQLite has no queue and would make them poll.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { inForeground } from "../base/pace.ts";
import { wait } from "../base/wait.ts";
import { MAX_WAITING_WRITES, WRITE_PAUSE_MS, WRITE_TURN_MS, YIELD_MS } from "./limits.ts";
import { unavailable } from "./unavailable.ts";

/** The writes of a process since its start. */
export interface WriteQueue {
  /** Number of writes that wait for earlier ones. */
  readonly waiting: number;
  /** Number of writes that have started. */
  readonly started: number;
  /** How long these have waited in total, in milliseconds. */
  readonly waitedMs: number;
}

/** The lock around every write of a database. */
export interface WriteLock {
  readonly queue: WriteQueue;
  /**
   * Runs `work` after all earlier calls have ended. Throws if it is called from within `work`. Errors:
   * unavailable (too many calls are waiting).
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Options of {@link createWriteLock}. */
export interface WriteLockOptions {
  /** The turns of several worker processes; absent if this process is the only one. */
  readonly turns?: WriteTurns | undefined;
  /** Maximum number of calls that wait. */
  readonly mostWaiting?: number;
}

/** The turns in which several processes write. */
export interface WriteTurns {
  /** Waits for the turn of this process. */
  take(): Promise<void>;
  end(): void;
}

export function createWriteLock(
  { turns, mostWaiting = MAX_WAITING_WRITES }: WriteLockOptions = {},
): WriteLock {
  const queue = { waiting: 0, started: 0, waitedMs: 0 };
  const order = inOrder(turns);
  // Code that runs under the lock inherits its holder. A closed holder is ignored, because timers and promises that
  // outlive the work may write later.
  const current = new AsyncLocalStorage<{ open: boolean }>();

  return {
    queue,
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (current.getStore()?.open) {
        throw new Error("A write was started within a write. Use the open transaction");
      }
      if (queue.waiting >= mostWaiting) {
        throw unavailable(`The database is busy: ${mostWaiting} writes are waiting.`, undefined);
      }
      const arrived = performance.now();
      queue.waiting++;
      try {
        await order.enter();
      } finally {
        queue.waiting--;
      }
      queue.started++;
      queue.waitedMs += performance.now() - arrived;
      const holder = { open: true };
      try {
        return await current.run(holder, () => inForeground(work));
      } finally {
        holder.open = false;
        order.leave();
      }
    },
  };
}

/** Lets one caller in at a time, in order of arrival, and only during a turn of this process. */
function inOrder(turns: WriteTurns | undefined): { enter(): Promise<void>; leave(): void } {
  const waiting: PromiseWithResolvers<void>[] = [];
  let busy = false;
  /** The end of the current turn (of `performance`). */
  let until: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function endTurn(): void {
    turns?.end();
    until = undefined;
  }

  async function admitNext(): Promise<void> {
    clearTimeout(timer);
    if (turns !== undefined && until === undefined) {
      try {
        await turns.take();
      } catch (error) {
        // The file of the turns is closed, or its file system cannot lock.
        busy = false;
        for (const { reject } of waiting.splice(0)) reject(error);
        return;
      }
      until = performance.now() + WRITE_TURN_MS;
    }
    waiting.shift()?.resolve();
  }

  return {
    enter(): Promise<void> {
      const turn = Promise.withResolvers<void>();
      waiting.push(turn);
      if (!busy) {
        busy = true;
        void admitNext();
      }
      return turn.promise;
    },
    leave(): void {
      busy = waiting.length > 0;
      if (until === undefined) return void (busy && admitNext());
      // Other processes wait for as long as some small writes take, or one large one.
      const left = until - performance.now();
      if (left > 0) {
        if (busy) void admitNext();
        else timer = setTimeout(endTurn, Math.min(left, WRITE_PAUSE_MS));
        return;
      }
      endTurn();
      // A process that waits gets its turn first: the system does not keep the order of those that lock a file.
      if (busy) void wait(YIELD_MS).then(admitNext);
    },
  };
}
