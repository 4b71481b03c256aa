/** Evaluates subscriptions: finds what is due, composes messages and stores them. */

import { and, eq, gt, lte, or, sql } from "drizzle-orm";
import { actorOf, type Context } from "../../auth/mod.ts";
import type { Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { notice_events, subscriptions } from "../../db/schema/mod.ts";
import { refreshCustomFields } from "../../resource/mod.ts";
import { describeDue } from "./describe_due.ts";
import { collectDue, type SharedReads, sharedReads } from "./collect_due.ts";
import { type LoadedSubscription, loadSubscriptions } from "./load_subscriptions.ts";
import { deriveFromChanges, deriveOverdue } from "./derive_events.ts";
import {
  MAX_LISTED_NOTICES,
  NOTIFIED_PER_TRANSACTION,
  SUBSCRIPTIONS_PER_TRANSACTION,
  THRESHOLD_INTERVAL_MS,
} from "./limits.ts";
import { nextDigest } from "./schedule.ts";
import { composeMessages } from "./compose.ts";
import { OWNER } from "./subscriptions.ts";
import { type EvaluatedSubscription, storeEvaluations } from "./store_evaluations.ts";

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
export async function storeDueMessages(
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

/** A message as a preview shows it. */
export interface PreviewedMessage {
  readonly subscription: string;
  readonly user: number;
  readonly recipient: string;
  readonly at: Millis;
  readonly notices: readonly string[];
  readonly more: number;
}

/**
 * Yields the messages that would be sent on a day with their recipients, and stores nothing. Expiries are
 * those of that day, events are those until now.
 */
export async function* previewMessages(
  { ctx, day }: { ctx: Context; day: Millis },
): AsyncGenerator<PreviewedMessage> {
  const shared = sharedReads(ctx.database);
  let after = 0;
  for (;;) {
    const loaded = await loadSubscriptions(
      ctx.database,
      gt(subscriptions.id, after),
      SUBSCRIPTIONS_PER_TRANSACTION,
    );
    for (const subscription of loaded) {
      const at = subscription.mode === "immediate" ? day : nextDigest(subscription, day - 1);
      if (at >= day + 86_400_000) continue;
      const then = { ...ctx, clock: { now: (): Millis => at } };
      const { messages } = await evaluate(then, {
        subscription: { ...subscription, nextRun: at },
        shared,
      });
      for (const { recipient, message } of messages) {
        yield {
          subscription: subscription.name,
          user: subscription.userId,
          recipient: recipient === "" ? subscription.kind : recipient,
          at,
          notices: message.notices.map(({ title }) => title),
          more: message.more,
        };
      }
    }
    if (loaded.length < SUBSCRIPTIONS_PER_TRANSACTION) return;
    after = loaded.at(-1)?.id ?? after;
  }
}
