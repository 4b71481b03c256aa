/** Evaluates subscriptions: finds what is due, composes messages and stores them; and deletes old ones. */

import { and, eq, gt, inArray, lt, lte, or, sql } from "drizzle-orm";
import { actorOf, type Context } from "../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, MAX_NOTICE_DAYS, PRUNE_BATCH } from "../../base/limits.ts";
import { pacer } from "../../base/pace.ts";
import { announce } from "../../changes/mod.ts";
import { deleteFrom, insertRows, select, type Transaction, update } from "../../db/mod.ts";
import { notice_events, notices, notification_deliveries, subscriptions } from "../../db/schema/mod.ts";
import { refreshCustomFields } from "../../resource/mod.ts";
import { collectDue, type NotifiedOccasion, type SharedReads, sharedReads } from "./collect_due.ts";
import { deriveFromChanges, pruneEvents } from "./derive_events.ts";
import { deriveOverdue } from "./derive_overdue.ts";
import { describeDue } from "./describe_due.ts";
import { type LoadedSubscription, loadSubscriptions, nextDigest } from "./load_subscriptions.ts";
import { composeMessages, deliveryRow, MAX_LISTED_NOTICES, type NewMessage } from "./message.ts";
import { OWNER } from "./subscriptions.ts";

/** Interval at which immediate subscriptions search for certificates that reached a threshold. */
const THRESHOLD_INTERVAL_MS = 3_600_000;

/**
 * Maximum numbers of subscriptions and of notified occasions that one transaction stores, because writers
 * wait for it.
 */
const SUBSCRIPTIONS_PER_TRANSACTION = 20;
const NOTIFIED_PER_TRANSACTION = 500;

/** Result of evaluating a subscription. */
interface EvaluatedSubscription {
  readonly subscription: LoadedSubscription;
  readonly messages: readonly NewMessage[];
  readonly notified: readonly NotifiedOccasion[];
  readonly lastEventId: number;
  readonly nextRun: Millis;
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
async function storeEvaluations(
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

/** Counts of a run. */
export interface NoticesRun {
  readonly subscriptions: number;
  readonly messages: number;
}

/**
 * Derives events, and evaluates every subscription that is due: digests at their time, immediate ones after
 * an event, and every hour for thresholds. Messages are stored in the transaction that records what they
 * report, so that nothing is repeated or lost if the process dies. The signal ends the run between two
 * subscriptions.
 */
export async function runNotices(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<NoticesRun> {
  await refreshCustomFields(ctx);
  await deriveFromChanges({ ctx, signal });
  await deriveOverdue(ctx);
  const pause = pacer();
  const shared = sharedReads(ctx.database);
  const total = { subscriptions: 0, messages: 0 };
  let after = 0;
  while (!signal?.aborted) {
    const loaded = await dueSubscriptions(ctx, after);
    let evaluations: EvaluatedSubscription[] = [];
    const store = async (): Promise<void> => {
      total.messages += await ctx.database.write((tx) => storeEvaluations(tx, ctx, evaluations));
      total.subscriptions += evaluations.length;
      evaluations = [];
    };
    for (const subscription of loaded) {
      if (signal?.aborted) break;
      evaluations.push(await evaluate(ctx, { subscription, shared }));
      await pause();
      const rows = evaluations.reduce((sum, { notified }) => sum + notified.length, 0);
      if (rows >= NOTIFIED_PER_TRANSACTION) await store();
    }
    if (evaluations.length > 0) await store();
    await pause();
    if (loaded.length < SUBSCRIPTIONS_PER_TRANSACTION) break;
    after = loaded.at(-1)?.id ?? after;
  }
  return total;
}

async function dueSubscriptions({ database, clock }: Context, after: number): Promise<LoadedSubscription[]> {
  return await loadSubscriptions(
    database,
    and(
      gt(subscriptions.id, after),
      or(
        lte(subscriptions.next_run, clock.now()),
        and(
          eq(subscriptions.mode, "immediate"),
          sql`${subscriptions.last_event_id} < (SELECT max(id) FROM ${notice_events})`,
        ),
      ),
    ),
    SUBSCRIPTIONS_PER_TRANSACTION,
  );
}

/** Evaluates a subscription with its user's current permissions. */
async function evaluate(
  ctx: Context,
  { subscription, shared }: { subscription: LoadedSubscription; shared: SharedReads },
): Promise<EvaluatedSubscription> {
  const now = ctx.clock.now();
  const isDue = subscription.nextRun <= now;
  const nextRun = isDue ? nextOf(subscription, now) : subscription.nextRun;
  const actor = await actorOf(ctx, subscription.userId);
  const { lastEventId } = subscription;
  if (actor === undefined) return { subscription, messages: [], notified: [], lastEventId, nextRun };
  const own: Context = { ...ctx, actor };
  const due = await collectDue(own, subscription, { thresholds: isDue, shared });
  // All of it if owners are recipients, because each gets only what they own. Other recipients get the first
  // notices and the number of the others.
  const listed = subscription.recipients.includes(OWNER)
    ? due.notices
    : due.notices.slice(0, MAX_LISTED_NOTICES);
  const more = due.notices.length - listed.length;
  return {
    subscription,
    messages: composeMessages(subscription, { notices: await describeDue(own, listed), more }),
    notified: due.notified,
    lastEventId: due.lastEventId,
    nextRun,
  };
}

function nextOf(subscription: LoadedSubscription, now: Millis): Millis {
  return subscription.mode === "immediate" ? now + THRESHOLD_INTERVAL_MS : nextDigest(subscription, now);
}

/** Days for which sent notifications are recorded: longer than the earliest threshold. */
const NOTIFIED_KEPT_DAYS = MAX_NOTICE_DAYS + 60;

/** Deletes messages after 30 days, and old events and records of sent notifications. */
export async function pruneNotices(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ deliveries: number; events: number; notes: number }> {
  const { database, clock } = ctx;
  const now = clock.now();
  const removed = { deliveries: 0, events: await pruneEvents(ctx), notes: 0 };
  const old = select({ id: notification_deliveries.id }).from(notification_deliveries)
    .where(lt(notification_deliveries.created, now - DELIVERY_KEPT_DAYS * DAY_MS)).limit(PRUNE_BATCH);
  for (let more = true; more && !signal?.aborted;) {
    const count = await database.write((tx) =>
      tx.run(deleteFrom(notification_deliveries).where(inArray(notification_deliveries.id, old)))
    );
    removed.deliveries += count;
    more = count === PRUNE_BATCH;
  }
  const notified = lt(notices.time, now - NOTIFIED_KEPT_DAYS * DAY_MS);
  removed.notes = await database.write((tx) => tx.run(deleteFrom(notices).where(notified)));
  return removed;
}
