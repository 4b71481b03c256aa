/** Tells whoever hands out events that new ones have been committed. */

import type { Database, Transaction } from "../db/mod.ts";

/** Called with the id of an outbox row, or 0 for messages without one; must neither throw nor wait. */
export type WakeUp = (outboxId: number) => void;

const wakers = new WeakMap<Database, Set<WakeUp>>();
const announced = new WeakSet<Transaction>();

/** Has `waker` called after each commit with something to send on this database, until the returned function is called. */
export function onCommittedEvents(database: Database, waker: WakeUp): () => void {
  const known = wakers.get(database) ?? new Set();
  wakers.set(database, known.add(waker));
  return () => known.delete(waker);
}

/** Sees to it that the wakers hear of this transaction, once, if it is committed. */
export function announce(tx: Transaction, database: Database, outboxId = 0): void {
  if (announced.has(tx) || !wakers.get(database)?.size) return;
  announced.add(tx);
  tx.afterCommit(() => {
    for (const waker of wakers.get(database) ?? []) waker(outboxId);
  });
}
