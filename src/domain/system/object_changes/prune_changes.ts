/** Deletes old entries of the change log. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { PRUNE_BATCH } from "../../../base/limits.ts";
import type { Transaction } from "../../../db/mod.ts";
import { object_changes, outbox } from "../../../db/schema/mod.ts";

/**
 * Deletes entries older than `changelogRetentionDays`; none if it is 0. Works in batches, so that other
 * writes can run in between. The signal stops it between two batches. Entries with pending or logged events
 * are kept until those are deleted. The newest entry is always kept, because its id is the version of the
 * inventory.
 */
export async function pruneChanges(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ changes: number }> {
  const { database, clock, settings } = ctx;
  const days = settings.changelogRetentionDays;
  if (days === 0) return { changes: 0 };
  const before = clock.now() - days * DAY_MS;
  let changes = 0;
  for (let more = true; more && !signal?.aborted;) {
    const removed = await database.write((tx) => removeSome(tx, before));
    changes += removed;
    more = removed === PRUNE_BATCH;
  }
  return { changes };
}

function removeSome(tx: Transaction, before: Millis): Promise<number> {
  return tx.run(
    sql`DELETE FROM ${object_changes} WHERE id IN (
      SELECT id FROM ${object_changes} AS entry WHERE time < ${before}
        AND id < (SELECT max(id) FROM ${object_changes})
        AND id < coalesce((SELECT min(first_change_id) FROM ${outbox} WHERE state = 'pending'), id + 1)
        AND NOT EXISTS (SELECT 1 FROM ${outbox} WHERE change_id = entry.id)
      ORDER BY time LIMIT ${PRUNE_BATCH}
    )`,
  );
}
