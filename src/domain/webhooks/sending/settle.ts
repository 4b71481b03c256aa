/** Stores the outcomes of attempts. */

import { and, inArray, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { idsIn, jsonText, select, type Transaction, update, updateRows } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { releaseNext } from "../deliveries/mod.ts";
import { TEST_EVENT } from "../mod.ts";
import type { DeliveryOutcome, SendResult } from "./attempt.ts";
import { probePause, type RandomSource, retryPause } from "./backoff.ts";
import { disableWebhook } from "./disable.ts";

/** Status of a receiver that no longer exists (RFC 9110 §15.5.11). */
const GONE = 410;

/** The outcome of an attempt as it is stored. */
export interface StoredOutcome extends SendResult {
  readonly message: { readonly id: number; readonly attempts: number };
}

/** The new state of a message after an attempt. */
export interface DeliveryUpdate<Of extends StoredOutcome = DeliveryOutcome> {
  readonly outcome: Of;
  readonly state: "pending" | "delivered" | "dead";
  /** Time of the next attempt; null if there is none. */
  readonly nextAttempt: Millis | null;
}

/** Decides the new state of each message. */
export function planUpdates<Of extends StoredOutcome>(
  outcomes: readonly Of[],
  { isFinal, now, random }: { isFinal: (outcome: Of) => boolean; now: Millis; random: RandomSource },
): DeliveryUpdate<Of>[] {
  return outcomes.map((outcome) => {
    const { message, error, retryAfter } = outcome;
    if (error === "") return { outcome, state: "delivered", nextAttempt: null };
    const pause = isFinal(outcome) ? undefined : retryPause(message.attempts, { random, retryAfter, now });
    return pause === undefined
      ? { outcome, state: "dead", nextAttempt: null }
      : { outcome, state: "pending", nextAttempt: now + pause };
  });
}

/** Returns whether a receiver no longer exists, or only a test was sent to it. */
export function isFinal({ status, message }: DeliveryOutcome): boolean {
  return status === GONE || message.event === TEST_EVENT;
}

/** Stores outcomes, releases the next message of each finished object, and counts failures of webhooks. */
export async function settle(
  tx: Transaction,
  ctx: Context,
  { updates, owner, random }: { updates: readonly DeliveryUpdate[]; owner: string; random: RandomSource },
): Promise<void> {
  const now = ctx.clock.now();
  await tx.run(storeOutcomes(webhook_deliveries, updates, { owner, now }));
  const ended = updates.filter(({ state }) => state !== "pending").map(({ outcome }) => outcome.message);
  if (ended.length > 0) await releaseNext(tx, ended, now);
  await countFailures(tx, { updates, now, random });
  const gone = updates.filter(({ outcome }) => outcome.status === GONE);
  for (const id of new Set(gone.map(({ outcome }) => outcome.message.webhookId))) {
    await disableWebhook(tx, ctx, { id, reason: `The receiver answered ${GONE} (gone).` });
  }
}

/**
 * Stores outcomes in a table of messages. Ignores those of messages that another process has leased in the
 * meantime.
 */
export function storeOutcomes(
  table: SQLiteTable,
  updates: readonly DeliveryUpdate<StoredOutcome>[],
  { owner, now }: { owner: string; now: Millis },
): SQL {
  const rows = updates.map(({ outcome, state, nextAttempt }) => [
    outcome.message.id,
    outcome.message.attempts,
    state,
    outcome.status,
    outcome.replyBody,
    outcome.durationMs,
    outcome.error,
    nextAttempt,
  ]);
  return sql`UPDATE ${table} SET state = r.state, response_status = r.status, response_body = r.body,
      duration_ms = r.duration, error = r.error, next_attempt = r.next, lease_owner = NULL,
      last_updated = max(${now}, last_updated + 1)
    FROM (SELECT value ->> 0 AS id, value ->> 1 AS attempts, value ->> 2 AS state, value ->> 3 AS status,
      value ->> 4 AS body, value ->> 5 AS duration, value ->> 6 AS error, value ->> 7 AS next
      FROM json_each(${jsonText(rows)})) AS r
    WHERE ${table}.id = r.id AND ${table}.attempts = r.attempts AND lease_owner = ${owner}`;
}

/**
 * Counts each webhook's failures since its last success. A failed test message is not counted, but a
 * delivered one counts as a success.
 */
async function countFailures(
  tx: Transaction,
  { updates, now, random }: { updates: readonly DeliveryUpdate[]; now: Millis; random: RandomSource },
): Promise<void> {
  const counts = new Map<number, { success: boolean; failures: number }>();
  for (const { outcome: { message, error } } of updates) {
    const known = counts.get(message.webhookId) ?? { success: false, failures: 0 };
    if (error === "") counts.set(message.webhookId, { success: true, failures: 0 });
    else if (message.event !== TEST_EVENT) {
      counts.set(message.webhookId, { ...known, failures: known.failures + 1 });
    }
  }
  const arrived = [...counts].filter(([, one]) => one.success).map(([id]) => id);
  if (arrived.length > 0) {
    const hasFailed = or(ne(webhooks.failure_count, 0), isNotNull(webhooks.probe_at));
    await tx.run(
      update(webhooks)
        .set({ failure_count: 0, probe_at: null })
        .where(and(inArray(webhooks.id, idsIn(arrived)), hasFailed)),
    );
  }
  const failed = [...counts].filter(([, one]) => one.failures > 0).map(([id]) => id);
  if (failed.length === 0) return;
  const stored = await tx.all(
    select({ id: webhooks.id, failure_count: webhooks.failure_count })
      .from(webhooks)
      .where(inArray(webhooks.id, idsIn(failed))),
  );
  await tx.run(updateRows(
    webhooks,
    stored.map(({ id, failure_count }) => {
      const total = failure_count + (counts.get(id)?.failures ?? 0);
      const pause = probePause(total, random);
      return { id, failure_count: total, probe_at: pause === undefined ? null : now + pause };
    }),
  ));
}
