/**
 * A lock that serializes the writes of this process in order of arrival. If several worker processes share
 * the database, they take turns, each for a few writes, because SQLite has no queue and would make them poll.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { inForeground } from "../base/pace.ts";
import type { WriteTurn, WriteTurns } from "../base/peers.ts";
import { MAX_WAITING_WRITES, WRITE_PAUSE_MS, WRITE_TURN_MS } from "./limits.ts";
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
  /** The steps of {@link run}, for writes that share a transaction. */
  readonly steps: WriteSteps;
}

export interface WriteSteps {
  /**
   * Counts a write that waits. Returns the function that counts it as started. Throws like {@link
   * WriteLock.run}.
   */
  admit(): () => void;
  /** Holds the lock during `work`, in which no write has begun yet. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Runs the work of a write while the lock is held. Until it ends, it cannot start another write. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

/** Options of {@link createWriteLock}. */
export interface WriteLockOptions {
  /**
   * The turns of several worker processes; absent if this process is the only one, or does not know of
   * others.
   */
  readonly turns?: WriteTurns | undefined;
  /** Maximum number of calls that wait. */
  readonly mostWaiting?: number;
}

export function createWriteLock(
  { turns, mostWaiting = MAX_WAITING_WRITES }: WriteLockOptions = {},
): WriteLock {
  const queue = { waiting: 0, started: 0, waitedMs: 0 };
  const order = inOrder(turns);
  // Code that runs under the lock inherits its holder. A closed holder is ignored, because timers and promises that
  // outlive the work may write later.
  const current = new AsyncLocalStorage<{ open: boolean }>();

  const steps: WriteSteps = {
    admit(): () => void {
      if (current.getStore()?.open) {
        throw new Error("A write was started within a write. Use the open transaction");
      }
      if (queue.waiting >= mostWaiting) {
        throw unavailable(`The database is busy: ${mostWaiting} writes are waiting.`, undefined);
      }
      const arrived = performance.now();
      queue.waiting++;
      return () => {
        queue.waiting--;
        queue.started++;
        queue.waitedMs += performance.now() - arrived;
      };
    },
    async hold<T>(work: () => Promise<T>): Promise<T> {
      await order.enter();
      try {
        return await work();
      } finally {
        order.leave();
      }
    },
    async within<T>(work: () => Promise<T>): Promise<T> {
      const holder = { open: true };
      try {
        return await current.run(holder, () => inForeground(work));
      } finally {
        holder.open = false;
      }
    },
  };
  return {
    queue,
    steps,
    async run<T>(work: () => Promise<T>): Promise<T> {
      const start = steps.admit();
      return await steps.hold(() => {
        start();
        return steps.within(work);
      });
    },
  };
}

/** Lets one caller in at a time, in order of arrival, and only during a turn of this process. */
function inOrder(turns: WriteTurns | undefined): { enter(): Promise<void>; leave(): void } {
  const waiting: (() => void)[] = [];
  let busy = false;
  let turn: { readonly held: WriteTurn; readonly until: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function endTurn(): void {
    turn?.held.end();
    turn = undefined;
  }

  async function admitNext(): Promise<void> {
    clearTimeout(timer);
    if (turns !== undefined && turn === undefined) {
      turn = { held: await turns.take(), until: performance.now() + WRITE_TURN_MS };
    }
    waiting.shift()?.();
  }

  return {
    enter(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      if (!busy) {
        busy = true;
        void admitNext();
      }
      return promise;
    },
    leave(): void {
      busy = waiting.length > 0;
      // Other processes wait for as long as some small writes take, or one large one.
      if (turn !== undefined) {
        const left = turn.until - performance.now();
        if (left <= 0 && (!busy || turn.held.isAwaited)) endTurn();
        else if (!busy) timer = setTimeout(endTurn, Math.min(left, WRITE_PAUSE_MS));
      }
      if (busy) void admitNext();
    },
  };
}
