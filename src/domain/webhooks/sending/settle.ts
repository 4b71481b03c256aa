/** Stores the outcomes of attempts, and when the next ones are. */

import { and, inArray, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { idsIn, jsonText, select, type Transaction, update, updateRows } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { releaseNext } from "../deliveries/prune_deliveries.ts";
import { TEST_EVENT, webhooks as resource } from "../mod.ts";
import type { DeliveryOutcome, SendResult } from "./attempt.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { changeDraft, loadForChange, storeDrafts, type WriteCall } from "../../../resource/mod.ts";
import { BREAKER_FAILURES } from "./claim.ts";

/** Pauses after each failed attempt. After the last one, the message is dead. */
export const RETRY_PAUSES_MS = [
  5_000,
  30_000,
  120_000,
  600_000,
  3_600_000,
  3 * 3_600_000,
  8 * 3_600_000,
  24 * 3_600_000,
] as const;

/** Longest pause between two such attempts. */
const MAX_PROBE_PAUSE_MS = 600_000;

/** Longest pause that a receiver may request by `Retry-After`. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Random fraction that is added to a pause, so that messages that failed together are not retried together.
 */
const RETRY_JITTER = 0.1;

/** Returns a random number from 0 up to 1, as `Math.random` does. */
export type RandomSource = () => number;

/**
 * Returns the milliseconds until the next attempt, after `attempts` failed ones; undefined if there is none.
 * Respects a longer pause that the receiver requests (`Retry-After`).
 */
function retryPause(
  attempts: number,
  { random, retryAfter, now }: { random: RandomSource; retryAfter: string | null; now: Millis },
): number | undefined {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(jittered(pause, random), Math.min(requestedPause(retryAfter, now), MAX_RETRY_AFTER_MS));
}

/**
 * Returns the milliseconds until a webhook is tried again after `failures` consecutive failures; undefined
 * below the limit.
 */
function probePause(failures: number, random: RandomSource): number | undefined {
  const beyond = failures - BREAKER_FAILURES;
  if (beyond < 0) return undefined;
  const pause = RETRY_PAUSES_MS[Math.min(beyond, RETRY_PAUSES_MS.length - 1)] ?? MAX_PROBE_PAUSE_MS;
  return jittered(Math.min(pause, MAX_PROBE_PAUSE_MS), random);
}

function jittered(pause: number, random: RandomSource): number {
  return Math.round(pause * (1 + RETRY_JITTER * random()));
}

/**
 * Reads `Retry-After`, which is in seconds or an HTTP date (RFC 9110 §10.2.3), as milliseconds. Anything else
 * is 0.
 */
function requestedPause(text: string | null, now: Millis): number {
  if (text === null) return 0;
  if (/^\d{1,10}$/.test(text.trim())) return Number(text) * 1000;
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}

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
    const { message, failure, retryAfter } = outcome;
    if (failure === null) return { outcome, state: "delivered", nextAttempt: null };
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
  { updates, owner, now, random }: {
    updates: readonly DeliveryUpdate[];
    owner: string;
    /** The time by which the turn chooses what is due, so that it can choose what is released here. */
    now: Millis;
    random: RandomSource;
  },
): Promise<void> {
  await tx.run(storeOutcomes(webhook_deliveries, updates, { owner, now }));
  const ended = updates.filter(({ state }) => state !== "pending").map(({ outcome }) => outcome.message);
  if (ended.length > 0) await releaseNext(tx, ended, now);
  await countFailures(tx, { updates, now, random });
  const gone = updates.filter(({ outcome }) => outcome.status === GONE);
  for (const id of new Set(gone.map(({ outcome }) => outcome.message.webhookId))) {
    await disableWebhook(tx, ctx, { id, reason: `The receiver answered ${GONE} (gone).` });
  }
}

/** Disables a webhook, with a change record. Does nothing if it is already deleted or disabled. */
async function disableWebhook(
  tx: Transaction,
  ctx: Context,
  { id, reason }: { id: number; reason: string },
): Promise<void> {
  const call: WriteCall = { ctx, tx, resource, allowed: EVERYTHING };
  const before = (await loadForChange(call, [id])).get(id);
  if (before === undefined || before.enabled === 0) return;
  const row = { enabled: 0, disabled_reason: reason };
  await storeDrafts(call, [changeDraft(before, { row })]);
  ctx.log.log("warn", "webhook disabled", { webhook: id, reason });
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
    outcome.failure,
    outcome.error,
    nextAttempt,
  ]);
  return sql`UPDATE ${table} SET state = r.state, response_status = r.status, response_body = r.body,
      duration_ms = r.duration, failure = r.failure, error = r.error, next_attempt = r.next, lease_owner = NULL,
      last_updated = max(${now}, last_updated + 1)
    FROM (SELECT value ->> 0 AS id, value ->> 1 AS attempts, value ->> 2 AS state, value ->> 3 AS status,
      value ->> 4 AS body, value ->> 5 AS duration, value ->> 6 AS failure, value ->> 7 AS error, value ->> 8 AS next
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
  for (const { outcome: { message, failure } } of updates) {
    const known = counts.get(message.webhookId) ?? { success: false, failures: 0 };
    if (failure === null) counts.set(message.webhookId, { success: true, failures: 0 });
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
