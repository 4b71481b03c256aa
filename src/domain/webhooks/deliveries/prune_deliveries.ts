/** Deletes old messages and events. */

import { and, inArray, lt, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, PRUNE_BATCH } from "../../../base/limits.ts";
import { deleteFrom, named, select, type Transaction } from "../../../db/mod.ts";
import { outbox, webhook_deliveries } from "../../../db/schema/mod.ts";
import { type MessageSubject, releaseNext } from "./release_next.ts";

/**
 * Deletes messages (sent or not) and dispatched events that are older than 30 days, and releases messages
 * that waited for a deleted one. Works in batches, so that other writes can run in between. The signal stops
 * it between two batches.
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

/** A deleted message. */
interface Removed extends MessageSubject {
  readonly state: string;
}

function isUnsent({ state }: Removed): boolean {
  return state === "pending";
}

async function removeSome(
  tx: Transaction,
  { before, now }: { before: Millis; now: Millis },
): Promise<{ messages: Removed[]; events: number }> {
  const old = select({ id: webhook_deliveries.id })
    .from(webhook_deliveries)
    .where(lt(webhook_deliveries.created, before))
    .limit(PRUNE_BATCH);
  const { state, webhook_id, object_type, object_id } = webhook_deliveries;
  const messages = await tx.all(
    deleteFrom(webhook_deliveries)
      .where(inArray(webhook_deliveries.id, old))
      .returning(named({ state, webhookId: webhook_id, objectType: object_type, objectId: object_id })),
  );
  const done = select({ id: outbox.id })
    .from(outbox)
    // A literal, because SQLite does not use the partial index for a bound value.
    .where(and(sql`${outbox.state} = 'done'`, lt(outbox.created, before)))
    .limit(PRUNE_BATCH);
  const events = await tx.run(deleteFrom(outbox).where(inArray(outbox.id, done)));
  // In the same transaction, so that no message waits for a deleted one if the job is stopped.
  const unsent = messages.filter(isUnsent);
  if (unsent.length > 0) await releaseNext(tx, unsent, now);
  return { messages, events };
}
