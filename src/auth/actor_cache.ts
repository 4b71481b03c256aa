/**
 * Caches accounts for `ACTOR_CACHE_MS`: a revocation on another node takes effect here after that time at the latest.
 * Changes in this process take effect at once: their operations call {@link clearActorCache} after the commit.
 */

import type { Clock, Millis } from "../base/clock.ts";
import { ACTOR_CACHE_ENTRIES, ACTOR_CACHE_MS } from "../base/limits.ts";
import type { Database } from "../db/mod.ts";
import type { Account } from "./accounts.ts";

/** What is needed to load accounts. */
export interface AccountSource {
  readonly database: Database;
  readonly clock: Clock;
}

interface Entry {
  readonly account: Account;
  readonly loadedAt: Millis;
}

const caches = new WeakMap<Database, Map<string, Entry>>();

/** Removes all accounts from the cache, because users, groups, tokens or permissions have changed. */
export function clearActorCache(database: Database): void {
  // A new map, so that a load that began before the change cannot store its result.
  caches.set(database, new Map());
}

/** Returns the account under a cache key, from the cache or by `load`. Missing accounts are not cached. */
export async function cachedAccount(
  { database, clock }: AccountSource,
  name: string,
  load: () => Promise<Account | undefined>,
): Promise<Account | undefined> {
  if (!caches.has(database)) clearActorCache(database);
  const cache = caches.get(database) as Map<string, Entry>;
  const now = clock.now();
  const known = cache.get(name);
  if (known !== undefined && now >= known.loadedAt && now - known.loadedAt < ACTOR_CACHE_MS) {
    return known.account;
  }
  const account = await load();
  cache.delete(name);
  if (account === undefined) return undefined;
  cache.set(name, { account, loadedAt: now });
  if (cache.size > ACTOR_CACHE_ENTRIES) cache.delete(cache.keys().next().value as string);
  return account;
}
