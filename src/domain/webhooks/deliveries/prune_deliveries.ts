/** Removes messages and events of the past. */

import { sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, PRUNE_BATCH } from "../../../base/limits.ts";
import type { Transaction } from "../../../db/mod.ts";
import { outbox, webhook_deliveries } from "../../../db/schema/mod.ts";
import { releaseNext, type Told } from "./release_next.ts";

/**
 * Removes messages, sent or not, and events that are older than 30 days; what waited for a message that is gone waits
 * no longer. In steps, so that others may write in between; ends early, between two of them, on the signal.
 */
export async function pruneDeliveries(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ deliveries: number; unsent: number; events: number }> {
  const { database, clock } = ctx;
  const before = clock.now() - DELIVERY_KEPT_DAYS * DAY_MS;
  const removed = { deliveries: 0, unsent: 0, events: 0 };
  for (let more = true; more && !signal?.aborted;) {
    const { messages, events } = await database.write((tx) => removeSome(tx, { before, now: clock.now() }));
    removed.deliveries += messages.length;
    removed.unsent += messages.filter(isUnsent).length;
    removed.events += events;
    more = messages.length === PRUNE_BATCH || events === PRUNE_BATCH;
  }
  return removed;
}

/** A message that was removed. */
interface Removed extends Told {
  readonly state: string;
}

function isUnsent({ state }: Removed): boolean {
  return state === "pending";
}

async function removeSome(
  tx: Transaction,
  { before, now }: { before: Millis; now: Millis },
): Promise<{ messages: Removed[]; events: number }> {
  const messages = await tx.all<Removed>(
    sql`DELETE FROM ${webhook_deliveries} WHERE id IN (
      SELECT id FROM ${webhook_deliveries} WHERE created < ${before} LIMIT ${PRUNE_BATCH}
    ) RETURNING state, webhook_id AS "webhookId", object_type AS "objectType", object_id AS "objectId"`,
  );
  const events = await tx.run(
    sql`DELETE FROM ${outbox} WHERE id IN (
      SELECT id FROM ${outbox} WHERE state = 'done' AND created < ${before} LIMIT ${PRUNE_BATCH}
    )`,
  );
  // Here and not at the end: whoever is stopped in between leaves nothing that waits for ever.
  const unsent = messages.filter(isUnsent);
  if (unsent.length > 0) await releaseNext(tx, unsent, now);
  return { messages, events };
}
