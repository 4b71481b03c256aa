/** Keeps the log of messages: deletes old ones, releases and recovers those that wait. */

import { and, gt, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, PRUNE_BATCH } from "../../../base/limits.ts";
import { deleteFrom, jsonText, named, select, type Transaction, update } from "../../../db/mod.ts";
import { outbox, webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";

/**
 * Longest possible delay of a message: twice the longest pause that a receiver may request. A message that is due later
 * was stored while the clock was wrong.
 */
const MAX_DELIVERY_DELAY_MS = 2 * DAY_MS;

/** The webhook and the object of a message. Messages with the same subject are sent in order. */
export interface MessageSubject {
  readonly webhookId: number;
  readonly objectType: string;
  readonly objectId: number;
}

/** Makes the first pending message of each subject due, unless it already has a time. One statement. */
export async function releaseNext(
  tx: Transaction,
  subjects: readonly MessageSubject[],
  now: Millis,
): Promise<void> {
  const rows = subjects.map(({ webhookId, objectType, objectId }) => [webhookId, objectType, objectId]);
  await tx.run(
    sql`UPDATE ${webhook_deliveries} SET next_attempt = ${now}
      WHERE next_attempt IS NULL AND state = 'pending' AND id IN (
        SELECT (SELECT min(p.id) FROM ${webhook_deliveries} AS p WHERE p.webhook_id = subjects.value ->> 0
          AND p.object_type = subjects.value ->> 1 AND p.object_id = subjects.value ->> 2 AND p.state = 'pending')
        FROM json_each(${jsonText(rows)}) AS subjects
      )`,
  );
}

/**
 * Makes messages due whose pause is longer than the longest possible one. Returns their number. Two
 * statements.
 */
export async function recoverDelayed({ ctx }: { ctx: Context }): Promise<{ recovered: number }> {
  const now = ctx.clock.now();
  const latest = now + MAX_DELIVERY_DELAY_MS;
  return await ctx.database.write(async (tx) => {
    await tx.run(update(webhooks).set({ probe_at: null }).where(gt(webhooks.probe_at, latest)));
    const recovered = await tx.run(
      update(webhook_deliveries)
        .set({ next_attempt: now })
        // IS NOT NULL is the condition of the partial index.
        .where(and(isNotNull(webhook_deliveries.next_attempt), gt(webhook_deliveries.next_attempt, latest))),
    );
    return { recovered };
  });
}

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
