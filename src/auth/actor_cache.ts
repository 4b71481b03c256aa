/**
 * Accounts in memory, for as long as another node's revocation may take to be felt here. Changes made in this process
 * hold at once: the features that make them call {@link clearActorCache} when they have been committed.
 */

import type { Clock, Millis } from "../base/clock.ts";
import { ACTOR_CACHE_ENTRIES, ACTOR_CACHE_MS } from "../base/limits.ts";
import type { Database } from "../db/mod.ts";
import type { Account } from "./accounts.ts";

/** Where accounts come from, and what time it is. */
export interface AccountSource {
  readonly database: Database;
  readonly clock: Clock;
}

interface Entry {
  readonly account: Account;
  readonly loadedAt: Millis;
}

const caches = new WeakMap<Database, Map<string, Entry>>();

/** Forgets every account: users, groups, tokens or permissions have changed. */
export function clearActorCache(database: Database): void {
  // A new map, so that a load that began before the change cannot leave its result.
  caches.set(database, new Map());
}

/** The account under a name, from memory or by `load`; one that does not exist is asked for each time. */
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
