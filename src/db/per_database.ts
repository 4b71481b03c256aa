/** What this process keeps in memory about a database: caches, counters and listeners of the layers above. */

import { memoize } from "../base/memoize.ts";
import type { Database } from "./database.ts";

/**
 * Returns a function that gives each database its own state, made by `create` at the first use and released with the
 * database. Two services in one process, as in tests, share none.
 */
export function perDatabase<State>(create: () => State): (database: Database) => State {
  return memoize<Database, State>(create);
}
