/** Does work in a transaction to see what comes of it, and undoes it. */

import type { Database, Transaction } from "../../../db/mod.ts";

/** Gives what `work` gives; whatever it stored is gone afterwards. */
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
  // The last one: what came before was started anew.
  return results.at(-1) as T;
}
