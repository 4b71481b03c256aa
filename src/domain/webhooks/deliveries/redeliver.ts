/** Sends single messages: test messages, and again those that were delivered, given up, or wait. */

import { eq, sql } from "drizzle-orm";
import { type Context, nameable, restrictionSql } from "../../../auth/mod.ts";
import type { Millis } from "../../../base/clock.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { announce } from "../../../changes/mod.ts";
import {
  andAll,
  insertRows,
  nextIds,
  type ObjectRow,
  type Row,
  type Transaction,
  update,
} from "../../../db/mod.ts";
import { webhook_deliveries } from "../../../db/schema/mod.ts";
import { across, and, type Condition } from "../../../filters/mod.ts";
import { NO_INPUT, operation, shown } from "../../../operation/mod.ts";
import { loadForChange, readAnswer } from "../../../resource/mod.ts";
import { TEST_EVENT, webhooks } from "../mod.ts";
import { messageBody, newMessageId } from "./payload.ts";
import { webhookDeliveries } from "./resource.ts";

/** Refuses a disabled webhook, whose messages would not be sent. Errors: conflict. */
function refuseDisabled(enabled: unknown): void {
  if (enabled !== 1) throw new AppError("conflict", "The webhook is disabled. Enable it first.");
}

/**
 * Moves a pending message ahead of all others of its webhook, and wakes the sender after the commit. If the
 * webhook is paused after many failures, it is tried now with this message, because the caller wants to know
 * whether it works again. Two statements.
 */
async function sendAtOnce(
  tx: Transaction,
  ctx: Context,
  { webhook, delivery }: { webhook: number; delivery: number },
): Promise<void> {
  const now = ctx.clock.now();
  await tx.runAll([
    sql`UPDATE ${webhook_deliveries} SET next_attempt = min(${now}, coalesce((
        SELECT other.next_attempt - 1 FROM ${webhook_deliveries} AS other
        WHERE other.webhook_id = ${webhook} AND other.next_attempt IS NOT NULL AND other.id <> ${delivery}
        ORDER BY other.next_attempt LIMIT 1
      ), ${now})) WHERE id = ${delivery}`,
    sql`UPDATE webhooks SET probe_at = ${now} WHERE id = ${webhook} AND probe_at > ${now}`,
  ]);
  announce(tx, ctx.database);
}

/**
 * Sends a message with the event `test` about the webhook itself, in the format of all messages, and returns
 * its delivery. Errors: forbidden, not_found, conflict (the webhook is disabled).
 */
export const testWebhook = operation({
  needs: [["change", webhooks]],
  input: NO_INPUT,
  output: shown(webhookDeliveries),
  run: async ({ ctx, id, ...run }) =>
    await ctx.database.write(async (tx) => {
      const allowed = run.allowed(webhooks);
      const webhook = (await loadForChange({ ctx, tx, resource: webhooks, allowed }, [id])).get(id);
      if (webhook === undefined) throw notFound();
      refuseDisabled(webhook.enabled);
      const { table } = webhookDeliveries;
      const delivery = await nextIds(tx, table, 1);
      await tx.run(insertRows(table, [deliveryRow(ctx, webhook, delivery)]));
      await sendAtOnce(tx, ctx, { webhook: id, delivery });
      return await readAnswer({ ctx, reader: tx, resource: webhookDeliveries }, delivery);
    }),
});

function deliveryRow(ctx: Context, webhook: ObjectRow, delivery: number): Row {
  const now = ctx.clock.now();
  const { id, name } = webhook;
  const { objectType } = webhooks;
  const eventId = newMessageId();
  const event = {
    objectType,
    event: TEST_EVENT,
    time: now,
    username: ctx.actor.username,
    requestId: ctx.requestId,
    prechange: null,
    postchange: null,
    details: { id, name },
  };
  return {
    id: delivery,
    webhook_id: id,
    event_id: eventId,
    object_type: objectType,
    object_id: id,
    event: TEST_EVENT,
    next_attempt: now,
    body: messageBody(event, eventId),
    created: now,
    last_updated: now,
  };
}

/** The columns that decide whether a message can be sent now. */
interface Stored {
  readonly state: string;
  readonly next_attempt: Millis | null;
  readonly lease_owner: string | null;
  /** 1 if an earlier message with the same webhook and object must be sent first, otherwise 0. */
  readonly follows: number;
  readonly webhook_id: number;
  readonly enabled: number;
}

/**
 * Sends a message again, or before its next attempt is due. Returns it as pending and due. A message that was
 * delivered or given up starts again with 0 attempts; one that waits for its next attempt keeps its count.
 * The id (`webhook-id`), by which the receiver recognizes the message, stays the same. Needs `change` on the
 * webhook of a message that the caller may view. Errors: forbidden, not_found, conflict (it is being sent, it
 * waits for an earlier message about its object, or its webhook is disabled).
 */
export const redeliver = operation({
  needs: [["change", webhooks]],
  input: NO_INPUT,
  output: shown(webhookDeliveries),
  run: async ({ ctx, id, ...run }) => {
    const changeable = across("webhook", run.allowed(webhooks));
    const allowed = and(changeable, nameable(ctx, webhookDeliveries.map));
    return await ctx.database.write(async (tx) => {
      const stored = await findDelivery({ ctx, tx, allowed }, id);
      if (stored === undefined) throw notFound();
      refuseDisabled(stored.enabled);
      const now = ctx.clock.now();
      refuseUnready(stored, now);
      await tx.run(
        update(webhook_deliveries)
          .set({
            ...(stored.state === "pending" ? {} : NOT_SENT),
            lease_owner: null,
            next_attempt: now,
            last_updated: sql`max(${now}, ${webhook_deliveries.last_updated} + 1)`,
          })
          .where(eq(webhook_deliveries.id, id)),
      );
      await sendAtOnce(tx, ctx, { webhook: stored.webhook_id, delivery: id });
      return await readAnswer({ ctx, reader: tx, resource: webhookDeliveries }, id);
    });
  },
});

/** The columns of a message that was not sent yet. */
const NOT_SENT = {
  state: "pending",
  attempts: 0,
  response_status: null,
  response_body: "",
  duration_ms: null,
  failure: null,
  error: "",
};

/**
 * Refuses a message that another process is sending, or that must wait for an earlier one. Errors: conflict.
 */
function refuseUnready(
  { state, next_attempt: next, lease_owner: owner, follows }: Stored,
  now: Millis,
): void {
  if (state !== "pending") return;
  // `next_attempt` alone does not suffice: the earlier message may have been redelivered after this one had
  // failed.
  if (next === null || follows === 1) {
    throw new AppError(
      "conflict",
      "This message waits for an earlier one about the same object. Redeliver that one.",
    );
  }
  // It becomes due again after its lease has expired.
  if (owner !== null && next > now) {
    throw new AppError("conflict", "This message is being sent right now.");
  }
}

async function findDelivery(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Condition },
  id: number,
): Promise<Stored | undefined> {
  const { map, table } = webhookDeliveries;
  const restricted = restrictionSql(ctx, allowed, { map });
  const [row] = await tx.all<Stored>(
    sql`SELECT state, next_attempt, lease_owner, webhook_id,
        (SELECT enabled FROM webhooks WHERE webhooks.id = webhook_id) AS enabled,
        EXISTS (SELECT 1 FROM ${table} AS earlier WHERE earlier.webhook_id = ${table}.webhook_id
          AND earlier.object_type = ${table}.object_type AND earlier.object_id = ${table}.object_id
          AND earlier.state = 'pending' AND earlier.id < ${table}.id) AS follows
      FROM ${table} WHERE ${andAll(sql`${table}.id = ${id}`, restricted)}`,
  );
  return row;
}
