/** Sends a message to try a webhook. */

import { getTableName, sql } from "drizzle-orm";
import { authorize, type Context, restrictionSql } from "../../access/mod.ts";
import { notFound } from "../../base/errors.ts";
import { insertRows, nextIds, type Transaction } from "../../db/mod.ts";
import type { Lookup } from "../../lookup/mod.ts";
import { both } from "../../resource/mod.ts";
import { TEST_EVENT, webhooks } from "../webhooks/mod.ts";
import { messageBody, newMessageId } from "./payload.ts";
import { readDelivery } from "./read_delivery.ts";
import { webhookDeliveries } from "./resource.ts";
import { refuseDisabled, sendAtOnce } from "./send_at_once.ts";

interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly enabled: number;
}

/**
 * `POST /api/extras/webhooks/{id}/test/`: gives the delivery of a message with the event `test`, about the webhook
 * itself, in the form of all messages. Needs `change` on the webhook. Errors: forbidden, not_found, conflict (it is
 * disabled).
 */
export async function testWebhook(
  { ctx, id }: { ctx: Context; id: number },
): Promise<Record<string, unknown>> {
  const allowed = authorize(ctx, "change", webhooks.objectType);
  return await ctx.database.write(async (tx) => {
    const webhook = await findWebhook({ ctx, tx, allowed }, id);
    if (webhook === undefined) throw notFound();
    refuseDisabled(webhook);
    const { table } = webhookDeliveries;
    const delivery = await nextIds(tx, table, 1);
    await tx.run(insertRows(table, [deliveryRow(ctx, webhook, delivery)]));
    await sendAtOnce(tx, ctx, { webhook: id, delivery });
    return await readDelivery({ ctx, tx }, delivery);
  });
}

function deliveryRow(ctx: Context, { id, name }: Webhook, delivery: number): Record<string, string | number> {
  const now = ctx.clock.now();
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

async function findWebhook(
  { ctx, tx, allowed }: { ctx: Context; tx: Transaction; allowed: Lookup },
  id: number,
): Promise<Webhook | undefined> {
  const { objectType, table } = webhooks;
  const [row] = await tx.all<Webhook>(
    sql`SELECT id, name, enabled FROM ${table} WHERE ${
      both(sql`${table}.id = ${id}`, restrictionSql(ctx, allowed, objectType, getTableName(table)))
    }`,
  );
  return row;
}
