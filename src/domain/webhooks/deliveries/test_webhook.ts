/** Sends a message to try a webhook. */

import { authorize, type Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { insertRows, nextIds, type Row } from "../../../db/mod.ts";
import { loadForChange } from "../../../resource/mod.ts";
import { TEST_EVENT, webhooks } from "../mod.ts";
import { messageBody, newMessageId } from "./payload.ts";
import { readDelivery } from "./read_delivery.ts";
import { webhookDeliveries } from "./resource.ts";
import { refuseDisabled, sendAtOnce } from "./send_at_once.ts";

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
    const webhook = (await loadForChange({ ctx, tx, resource: webhooks, allowed }, [id])).get(id);
    if (webhook === undefined) throw notFound();
    refuseDisabled(webhook.enabled);
    const { table } = webhookDeliveries;
    const delivery = await nextIds(tx, table, 1);
    await tx.run(insertRows(table, [deliveryRow(ctx, webhook, delivery)]));
    await sendAtOnce(tx, ctx, { webhook: id, delivery });
    return await readDelivery({ ctx, tx }, delivery);
  });
}

function deliveryRow(ctx: Context, webhook: Row, delivery: number): Row {
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
    webhook_id: id as number,
    event_id: eventId,
    object_type: objectType,
    object_id: id as number,
    event: TEST_EVENT,
    next_attempt: now,
    body: messageBody(event, eventId),
    created: now,
    last_updated: now,
  };
}
