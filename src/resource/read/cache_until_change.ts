/** Results that are costly to make, remembered until anything changes: the change log's last id is the version. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { REMEMBERED_RESULTS } from "../../base/limits.ts";
import type { Database } from "../../db/mod.ts";
import { object_changes } from "../../db/schema/mod.ts";

interface Remembered {
  readonly version: number;
  readonly result: Promise<unknown>;
}

const caches = new WeakMap<Database, Map<string, Remembered>>();

/**
 * The result of `make`, or that of an earlier call with the same key, if nothing has been recorded since. The key must
 * hold all that the result depends on beside recorded changes: who asks, and the time as coarsely as it matters.
 * One statement when it is remembered. Calls at the same time share one making.
 */
export async function cacheUntilChange<Result>(
  { database }: Context,
  key: string,
  make: () => Promise<Result>,
): Promise<Result> {
  const cache = caches.get(database) ?? new Map<string, Remembered>();
  caches.set(database, cache);
  // Read first: a change meanwhile makes the result look older than it is, never newer.
  const [newest] = await database.all<{ version: number }>(
    sql`SELECT coalesce(max(id), 0) AS version FROM ${object_changes}`,
  );
  const version = newest?.version ?? 0;
  const known = cache.get(key);
  if (known?.version === version) return await known.result as Result;
  const result = make();
  cache.delete(key);
  cache.set(key, { version, result });
  if (cache.size > REMEMBERED_RESULTS) cache.delete(cache.keys().next().value as string);
  // A failure is nobody's result.
  result.catch(() => cache.delete(key));
  return await result;
}
