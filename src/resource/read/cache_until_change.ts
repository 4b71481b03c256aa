/** Caches expensive results until any object changes. The last id of the change log is the version. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { perDatabase } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";

/**
 * Maximum number of cached overviews, one for each set of visible objects. Each is valid until the next
 * change of any row.
 */
const MAX_CACHED_RESULTS = 200;

interface CachedResult {
  readonly version: number;
  readonly result: Promise<unknown>;
}

const cacheOf = perDatabase(() => new Map<string, CachedResult>());

/**
 * Returns the result of `make`, or the cached one for the key if no change was recorded since. The key must
 * contain everything else on which the result depends: the actor, and the time, rounded if possible. One
 * statement if cached. Concurrent calls share one computation.
 */
export async function cacheUntilChange<Result>(
  { database }: Context,
  key: string,
  make: () => Promise<Result>,
): Promise<Result> {
  const cache = cacheOf(database);
  // The version is read first, so that a concurrent change makes the result look older than it is, never
  // newer.
  const [newest] = await database.all<{ version: number | null }>(
    sql`SELECT max(id) AS version FROM ${object_changes}`,
  );
  const version = newest?.version ?? 0;
  const known = cache.get(key);
  if (known?.version === version) return await known.result as Result;
  const result = make();
  cache.delete(key);
  cache.set(key, { version, result });
  if (cache.size > MAX_CACHED_RESULTS) cache.delete(cache.keys().next().value as string);
  // Failures are not cached.
  result.catch(() => cache.delete(key));
  return await result;
}
