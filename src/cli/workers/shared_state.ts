/** Synchronizes the state that the workers of a service keep in memory. */

import { ACTOR_CACHE_MS, divideHashSlots, dropActors, shareAttempts } from "../../auth/mod.ts";
import type { App } from "../../app.ts";
import type { Clock } from "../../base/clock.ts";
import type { Peers } from "../../base/peers.ts";
import { type Database, onForgotten } from "../../db/mod.ts";
import { dropCustomFields } from "../../resource/mod.ts";

/**
 * Shares the limits of sign-ins, and clears caches at the other workers. Returns a function that makes an
 * application respond only after they have cleared them: when the revocation of a token was answered, no worker
 * accepts the token.
 */
export function shareState(
  { database, clock, peers }: { database: Database; clock: Clock; peers: Peers },
): (fetch: App["fetch"]) => App["fetch"] {
  divideHashSlots(peers.workers);
  shareAttempts({ database, clock }, peers);
  // With a database file, each worker detects the commits of the others itself.
  if (database.outsideVersion !== undefined) return (fetch) => fetch;
  const asking = new Set<Promise<unknown>>();
  onForgotten(database, () => {
    // The cache of a worker that has not answered by then has expired.
    const asked = peers.ask("forget", null, ACTOR_CACHE_MS).finally(() => asking.delete(asked));
    asking.add(asked);
  });
  peers.on("forget", () => {
    dropActors(database);
    dropCustomFields(database);
  });
  return (fetch) => async (request, info) => {
    const response = await fetch(request, info);
    await Promise.all(asking);
    return response;
  };
}
