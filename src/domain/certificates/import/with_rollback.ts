/** Runs work in a transaction that is rolled back. */

import type { Database, Transaction } from "../../../db/mod.ts";

/** Returns the result of `work`, and rolls back everything that it stores. */
export async function withRollback<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const results: T[] = [];
  const rollback = new Error("Rolls back the transaction");
  try {
    await database.write(async (tx) => {
      results.push(await work(tx));
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  // If the transaction was retried, the last result is the valid one.
  return results.at(-1) as T;
}
