/** Runs a dry run: work in a transaction that is rolled back. */

import type { Database, Transaction } from "../../../db/mod.ts";

/** Returns the result of `work`, and rolls back everything that it stored. */
export async function rehearse<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const results: T[] = [];
  const undo = new Error("The rehearsal is over");
  try {
    await database.write(async (tx) => {
      results.push(await work(tx));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  // The transaction may have been retried; the last result counts.
  return results.at(-1) as T;
}
