/** Notifies the dispatcher of webhooks when new events were committed. */

import { type Database, perDatabase, type Transaction } from "../db/mod.ts";

/** Called with the id of an outbox row, or 0 for messages without one. Must not throw or wait. */
export type WakeUp = (outboxId: number) => void;

const wakersOf = perDatabase(() => new Set<WakeUp>());
/** Transactions that will call the functions, so that many events of a commit are announced once. */
const announced = new WeakSet<Transaction>();

/** Registers a function that is called after each commit with events. Returns a function that removes it. */
export function onCommittedEvents(database: Database, waker: WakeUp): () => void {
  const known = wakersOf(database).add(waker);
  return () => known.delete(waker);
}

/** Calls the registered functions once after this transaction is committed. */
export function announce(tx: Transaction, database: Database, outboxId = 0): void {
  const wakers = wakersOf(database);
  if (announced.has(tx) || wakers.size === 0) return;
  announced.add(tx);
  tx.afterCommit(() => {
    for (const waker of wakers) waker(outboxId);
  });
}
