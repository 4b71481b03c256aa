/** Sends a test message to a webhook. */

import type { Context } from "../../../auth/mod.ts";
import { notFound } from "../../../base/errors.ts";
import { insertRows, nextIds, type ObjectRow, type Row } from "../../../db/mod.ts";
import { NO_INPUT, operation, shown } from "../../../operation/mod.ts";
import { loadForChange, readAnswer } from "../../../resource/mod.ts";
import { TEST_EVENT, webhooks } from "../mod.ts";
import { messageBody, newMessageId } from "./payload.ts";
import { webhookDeliveries } from "./resource.ts";
import { refuseDisabled, sendAtOnce } from "./send_at_once.ts";

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
