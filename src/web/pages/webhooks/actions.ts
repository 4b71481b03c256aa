/** Actions on webhooks and their messages. */

import { redeliver, testWebhook, webhookDeliveries } from "../../../domain/webhooks/deliveries/mod.ts";
import { webhooks } from "../../../domain/webhooks/mod.ts";
import { updateObject } from "../../../resource/mod.ts";
import { type Call, idOf } from "../../call.ts";
import { objectPath } from "../../paths.ts";
import { attempt, done } from "../../responses.ts";

/** Sends a test message; the webhook's page shows its result. */
export async function sendTest(call: Call): Promise<Response> {
  const webhook = objectPath(webhooks, idOf(call));
  return await attempt({ call, back: webhook, codes: ["conflict"] }, async () => {
    await testWebhook({ ctx: call.ctx, id: idOf(call) });
    return done(call, webhook, "Test message queued.");
  });
}

/** Enables a webhook, which also resets its failures. */
export async function enableOne(call: Call): Promise<Response> {
  const id = idOf(call);
  const back = objectPath(webhooks, id);
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    await updateObject({ ctx: call.ctx, resource: webhooks, id, input: { enabled: true }, mode: "patch" });
    return done(call, back, "Webhook enabled.");
  });
}

/** Sends a message again, or immediately. */
export async function redeliverOne(call: Call): Promise<Response> {
  const delivery = objectPath(webhookDeliveries, idOf(call));
  return await attempt({ call, back: delivery, codes: ["conflict"] }, async () => {
    await redeliver({ ctx: call.ctx, id: idOf(call) });
    return done(call, delivery, "Message queued.");
  });
}
