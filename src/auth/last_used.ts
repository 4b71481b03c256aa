/** Notes when a token was last used: now and then, beside the request, and whatever happens to the note. */

import { sql } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import { ACTOR_CACHE_ENTRIES, LAST_USED_INTERVAL_MS } from "../base/limits.ts";
import type { Database } from "../db/mod.ts";
import type { AccountSource } from "./actor_cache.ts";
import type { TokenState } from "./accounts.ts";

interface Notes {
  /** When a note was last begun, by token. */
  readonly noted: Map<number, Millis>;
  readonly pending: Set<Promise<void>>;
}

const allNotes = new WeakMap<Database, Notes>();

function notesOf(database: Database): Notes {
  const known = allNotes.get(database) ?? { noted: new Map(), pending: new Set() };
  allNotes.set(database, known);
  return known;
}

/** Begins to write `last_used` if the last note is old enough. It is no change of the token: nothing is recorded. */
export function recordTokenUse({ database, clock }: AccountSource, token: TokenState): void {
  const { noted, pending } = notesOf(database);
  const now = clock.now();
  const due = now - LAST_USED_INTERVAL_MS;
  if (Math.max(noted.get(token.id) ?? 0, token.lastUsed ?? 0) > due) return;
  if (noted.size >= ACTOR_CACHE_ENTRIES) noted.clear();
  noted.set(token.id, now);
  const writing = writeUse(database, token.id, { now, due }).finally(() => pending.delete(writing));
  pending.add(writing);
}

/** Another node may have noted a use in the meantime. A note that cannot be written is given up. */
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
    // The next use notes it; a request must not fail for it.
  }
}

/** Waits for the notes that are being written; to be called before the database is closed. */
export async function flushTokenUses(database: Database): Promise<void> {
  await Promise.all(notesOf(database).pending);
}
