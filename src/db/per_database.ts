/**
 * State that this process keeps in memory for each database: caches, counters and listeners of the layers
 * above.
 */

import { memoize } from "../base/memoize.ts";
import type { Database } from "./database.ts";

/**
 * Returns a function that gives each database its own state, which `create` makes at the first use and which
 * is released with the database. Two services in one process, as in tests, share no state.
 */
export function perDatabase<State>(create: () => State): (database: Database) => State {
  return memoize<Database, State>(create);
}
