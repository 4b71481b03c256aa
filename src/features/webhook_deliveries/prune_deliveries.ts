/** Removes messages and events of the past. */

import { sql } from "drizzle-orm";
import type { Context } from "../../access/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, PRUNE_BATCH } from "../../base/limits.ts";
import type { Transaction } from "../../db/mod.ts";
import { outbox, webhook_deliveries } from "../../db/schema/mod.ts";

/**
 * Removes messages, sent or not, and events that are older than 30 days; what waited for a message that is gone waits
 * no longer. In steps, so that others may write in between.
 */
export async function pruneDeliveries(
  { ctx }: { ctx: Context },
): Promise<{ deliveries: number; unsent: number; events: number }> {
  const { database, clock } = ctx;
  const before = clock.now() - DELIVERY_KEPT_DAYS * DAY_MS;
  const removed = { deliveries: 0, unsent: 0, events: 0 };
  for (let more = true; more;) {
    const { states, events } = await database.write((tx) => removeSome(tx, before));
    removed.deliveries += states.length;
    removed.unsent += states.filter((state) => state === "pending").length;
    removed.events += events;
    more = states.length === PRUNE_BATCH || events === PRUNE_BATCH;
  }
  if (removed.unsent > 0) await database.write((tx) => releaseStranded(tx, clock.now()));
  return removed;
}

async function removeSome(tx: Transaction, before: Millis): Promise<{ states: string[]; events: number }> {
  const rows = await tx.all<{ state: string }>(
    sql`DELETE FROM ${webhook_deliveries} WHERE id IN (
      SELECT id FROM ${webhook_deliveries} WHERE created < ${before} LIMIT ${PRUNE_BATCH}
    ) RETURNING state`,
  );
  const events = await tx.run(
    sql`DELETE FROM ${outbox} WHERE id IN (
      SELECT id FROM ${outbox} WHERE state = 'done' AND created < ${before} LIMIT ${PRUNE_BATCH}
    )`,
  );
  return { states: rows.map(({ state }) => state), events };
}

/** Gives a time to the first message of each object that has none: what it waited for was removed. */
async function releaseStranded(tx: Transaction, now: Millis): Promise<void> {
  await tx.run(
    sql`UPDATE ${webhook_deliveries} SET next_attempt = ${now} WHERE next_attempt IS NULL AND id IN (
      SELECT min(id) FROM ${webhook_deliveries} INDEXED BY webhook_deliveries_order WHERE state = 'pending'
      GROUP BY webhook_id, object_type, object_id
    )`,
  );
}
