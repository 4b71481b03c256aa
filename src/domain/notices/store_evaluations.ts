/** Stores messages, sent notifications, and the time of the next evaluation, in one transaction. */

import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { insertRows, jsonText, type Transaction, update } from "../../db/mod.ts";
import { notices, notification_deliveries, subscriptions } from "../../db/schema/mod.ts";
import { announce } from "../../changes/mod.ts";
import type { NotifiedOccasion } from "./collect_due.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";
import type { NewMessage } from "./compose.ts";

/** Result of evaluating a subscription. */
export interface EvaluatedSubscription {
  readonly subscription: LoadedSubscription;
  readonly messages: readonly NewMessage[];
  readonly notified: readonly NotifiedOccasion[];
  readonly lastEventId: number;
  readonly nextRun: Millis;
}

/** Returns the row of a new message. */
export function deliveryRow(
  { messageId, recipient, event, message }: NewMessage,
  { channelId, subscriptionId, now }: {
    channelId: number | null;
    subscriptionId: number | null;
    now: Millis;
  },
): Record<string, string | number | null> {
  return {
    channel_id: channelId,
    subscription_id: subscriptionId,
    message_id: messageId,
    event,
    notices: message.notices.length + message.more,
    recipient,
    message: jsonText(message),
    next_attempt: now,
    created: now,
    last_updated: now,
  };
}

/**
 * Maximum number of rows of `notices` per statement: a few milliseconds. Other requests can read between two
 * statements. Only writers wait for the end of the transaction.
 */
const ROWS_PER_STATEMENT = 50;

/**
 * Stores evaluations and returns the number of messages. An evaluation is dropped if another process has
 * stored it in the meantime, or if its subscription has changed. Two statements for each, and some for what
 * was notified.
 */
export async function storeEvaluations(
  tx: Transaction,
  ctx: Context,
  evaluations: readonly EvaluatedSubscription[],
): Promise<number> {
  const now = ctx.clock.now();
  const pause = pacer();
  let stored = 0;
  for (const { subscription, messages, notified, lastEventId, nextRun } of evaluations) {
    const { id, channelId, nextRun: expectedRun, lastEventId: expectedEvent } = subscription;
    const taken = await tx.all(
      update(subscriptions).set({ next_run: nextRun, last_event_id: lastEventId }).where(and(
        eq(subscriptions.id, id),
        eq(subscriptions.enabled, 1),
        eq(subscriptions.next_run, expectedRun),
        eq(subscriptions.last_event_id, expectedEvent),
      )).returning({ id: subscriptions.id }),
    );
    if (taken.length === 0) continue;
    for (let start = 0; start < notified.length; start += ROWS_PER_STATEMENT) {
      const rows = notified.slice(start, start + ROWS_PER_STATEMENT).map(({ objectId, event, occasion }) => ({
        subscription_id: id,
        certificate_id: objectId,
        event,
        occasion,
        time: now,
      }));
      await tx.run(sql`${insertRows(notices, rows)} ON CONFLICT DO NOTHING`);
      await pause();
    }
    if (messages.length === 0) continue;
    const rows = messages.map((message) => deliveryRow(message, { channelId, subscriptionId: id, now }));
    await tx.run(insertRows(notification_deliveries, rows));
    stored += messages.length;
  }
  if (stored > 0) announce(tx, ctx.database);
  return stored;
}
