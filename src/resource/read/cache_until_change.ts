/** Caches expensive results until any object changes. The last id of the change log is the version. */

import { sql } from "drizzle-orm";
import type { Actor, Context } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { dropOldest, memoize } from "../../base/memoize.ts";
import { perDatabase } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";

/**
 * Maximum number of cached overviews, one for each set of visible objects. Each is valid until the next
 * change of any row.
 */
const MAX_CACHED_RESULTS = 200;
/**
 * A result that took so many milliseconds to make is kept for a second despite changes, so that a large inventory that
 * changes all the time is not read all the time.
 */
const [SLOW_MS, KEPT_MS] = [500, 1_000];

interface CachedResult {
  readonly version: number;
  readonly result: Promise<unknown>;
  /** Until when changes do not matter. */
  keptUntil: number;
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
  const began = performance.now();
  if (known?.version === version || known !== undefined && began < known.keptUntil) {
    return await known.result as Result;
  }
  const result = make();
  const made: CachedResult = { version, result, keptUntil: 0 };
  cache.delete(key);
  cache.set(key, made);
  dropOldest(cache, MAX_CACHED_RESULTS);
  result.then(() => {
    const now = performance.now();
    if (now - began >= SLOW_MS) made.keptUntil = now + KEPT_MS;
  }, () => cache.delete(key)); // failures are not cached
  return await result;
}

/** The caller with their permissions as a short text. */
const callerOf = memoize((actor: Actor) => sha256Hex(JSON.stringify(actor)));

/** Returns a key for results that depend on the caller, and on nothing else that is not in `name`. */
export function viewKey({ actor, baseUrl }: Context, name: string): string {
  return `${name} ${callerOf(actor)} ${baseUrl}`;
}
