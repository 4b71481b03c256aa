/** What becomes of messages after an attempt. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { idsIn, jsonText, type Transaction, updateRows } from "../../../db/mod.ts";
import { webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { releaseNext } from "../deliveries/mod.ts";
import { TEST_EVENT } from "../mod.ts";
import type { Outcome } from "./attempt.ts";
import { type Chance, probePause, retryPause } from "./backoff.ts";
import { disableWebhook } from "./disable.ts";

/** The receiver does not want any more messages (RFC 9110 §15.5.11). */
const GONE = 410;

/** A message's fate. */
interface Verdict {
  readonly outcome: Outcome;
  readonly state: "pending" | "delivered" | "dead";
  /** When it is sent again; null when it is not. */
  readonly nextAttempt: Millis | null;
}

/** Says what becomes of each message. */
export function judgeOutcomes(
  outcomes: readonly Outcome[],
  { now, chance }: { now: Millis; chance: Chance },
): Verdict[] {
  return outcomes.map((outcome) => {
    const { message, error, status, retryAfter } = outcome;
    if (error === "") return { outcome, state: "delivered", nextAttempt: null };
    const last = status === GONE || message.event === TEST_EVENT;
    const pause = last ? undefined : retryPause(message.attempts, { chance, retryAfter, now });
    return pause === undefined
      ? { outcome, state: "dead", nextAttempt: null }
      : { outcome, state: "pending", nextAttempt: now + pause };
  });
}

/** Stores outcomes, lets the next message of each object that is done with go, and counts failures. */
export async function settle(
  tx: Transaction,
  ctx: Context,
  { verdicts, owner, chance }: { verdicts: readonly Verdict[]; owner: string; chance: Chance },
): Promise<void> {
  if (verdicts.length === 0) return;
  const now = ctx.clock.now();
  await tx.run(storeSql(verdicts, { owner, now }));
  const ended = verdicts.filter(({ state }) => state !== "pending").map(({ outcome }) => outcome.message);
  if (ended.length > 0) await releaseNext(tx, ended, now);
  await countFailures(tx, { verdicts, now, chance });
  const gone = verdicts.filter(({ outcome }) => outcome.status === GONE);
  for (const id of new Set(gone.map(({ outcome }) => outcome.message.webhookId))) {
    await disableWebhook(tx, ctx, { id, reason: `The receiver answered ${GONE} (gone).` });
  }
}

/** Whoever has lost a message to somebody else says nothing about it any more. */
function storeSql(verdicts: readonly Verdict[], { owner, now }: { owner: string; now: Millis }): SQL {
  const rows = verdicts.map(({ outcome, state, nextAttempt }) => [
    outcome.message.id,
    outcome.message.attempts,
    state,
    outcome.status,
    outcome.replyBody,
    outcome.durationMs,
    outcome.error,
    nextAttempt,
  ]);
  return sql`UPDATE ${webhook_deliveries} SET state = r.state, response_status = r.status, response_body = r.body,
      duration_ms = r.duration, error = r.error, next_attempt = r.next, lease_owner = NULL,
      last_updated = max(${now}, last_updated + 1)
    FROM (SELECT value ->> 0 AS id, value ->> 1 AS attempts, value ->> 2 AS state, value ->> 3 AS status,
      value ->> 4 AS body, value ->> 5 AS duration, value ->> 6 AS error, value ->> 7 AS next
      FROM json_each(${jsonText(rows)})) AS r
    WHERE webhook_deliveries.id = r.id AND webhook_deliveries.attempts = r.attempts AND lease_owner = ${owner}`;
}

/** A webhook's failures since its last success; trials are not counted, but one that arrives is a success. */
async function countFailures(
  tx: Transaction,
  { verdicts, now, chance }: { verdicts: readonly Verdict[]; now: Millis; chance: Chance },
): Promise<void> {
  const counts = new Map<number, { success: boolean; failures: number }>();
  for (const { outcome: { message, error } } of verdicts) {
    const known = counts.get(message.webhookId) ?? { success: false, failures: 0 };
    if (error === "") counts.set(message.webhookId, { success: true, failures: 0 });
    else if (message.event !== TEST_EVENT) {
      counts.set(message.webhookId, { ...known, failures: known.failures + 1 });
    }
  }
  const arrived = [...counts].filter(([, one]) => one.success).map(([id]) => id);
  if (arrived.length > 0) {
    await tx.run(
      sql`UPDATE ${webhooks} SET failure_count = 0, probe_at = NULL
        WHERE id IN ${idsIn(arrived)} AND (failure_count <> 0 OR probe_at IS NOT NULL)`,
    );
  }
  const failed = [...counts].filter(([, one]) => one.failures > 0).map(([id]) => id);
  if (failed.length === 0) return;
  const stored = await tx.all<{ id: number; failure_count: number }>(
    sql`SELECT id, failure_count FROM ${webhooks} WHERE id IN ${idsIn(failed)}`,
  );
  await tx.run(updateRows(
    webhooks,
    stored.map(({ id, failure_count }) => {
      const total = failure_count + (counts.get(id)?.failures ?? 0);
      const pause = probePause(total, chance);
      return { id, failure_count: total, probe_at: pause === undefined ? null : now + pause };
    }),
  ));
}
