/** Records when a token was last used: at intervals, in the background, and without affecting the request. */

import { sql } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import { ACTOR_CACHE_ENTRIES, LAST_USED_INTERVAL_MS } from "../base/limits.ts";
import type { Database } from "../db/mod.ts";
import type { AccountSource } from "./actor_cache.ts";
import type { TokenState } from "./accounts.ts";

interface Recorder {
  /** When a write was last started, by token id. */
  readonly recorded: Map<number, Millis>;
  readonly pending: Set<Promise<void>>;
}

const recorders = new WeakMap<Database, Recorder>();

function recorderOf(database: Database): Recorder {
  const known = recorders.get(database) ?? { recorded: new Map(), pending: new Set() };
  recorders.set(database, known);
  return known;
}

/** Starts to write `last_used` if the stored value is old enough. Writes no change record. */
export function recordTokenUse({ database, clock }: AccountSource, token: TokenState): void {
  const { recorded, pending } = recorderOf(database);
  const now = clock.now();
  const due = now - LAST_USED_INTERVAL_MS;
  if (Math.max(recorded.get(token.id) ?? 0, token.lastUsed ?? 0) > due) return;
  if (recorded.size >= ACTOR_CACHE_ENTRIES) recorded.clear();
  recorded.set(token.id, now);
  const writing = writeUse(database, token.id, { now, due }).finally(() => pending.delete(writing));
  pending.add(writing);
}

/** Writes the time unless another node has done so meanwhile. Ignores failures. */
async function writeUse(
  database: Database,
  id: number,
  { now, due }: { now: Millis; due: Millis },
): Promise<void> {
  try {
    await database.write((tx) =>
      tx.run(
        sql`UPDATE tokens SET last_used = ${now} WHERE id = ${id} AND (last_used IS NULL OR last_used <= ${due})`,
      )
    );
  } catch {
    // The next use writes it. A request must not fail because of it.
  }
}

/** Waits for pending writes; call it before closing the database. */
export async function flushTokenUses(database: Database): Promise<void> {
  await Promise.all(recorderOf(database).pending);
}
