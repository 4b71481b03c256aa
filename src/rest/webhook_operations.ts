/** Trying webhooks, and sending messages once more. */

import { redeliver, testWebhook, webhookDeliveries } from "../domain/webhooks/deliveries/mod.ts";
import { webhooks } from "../domain/webhooks/mod.ts";
import { json } from "./http.ts";
import type { Operation } from "./operation.ts";

const ANSWERS: Operation["answers"] = {
  202: { description: "The message, on its way.", schema: { $ref: "#/components/schemas/WebhookDelivery" } },
  409: {
    description:
      "The webhook is disabled, or the message is being sent or waits for an earlier one about its object.",
    schema: { $ref: "#/components/schemas/Detail" },
  },
};

/** The operations. */
export function webhookOperations(): Operation[] {
  return [
    {
      method: "POST",
      path: `/api/${webhooks.path}/{id}/test/`,
      operationId: "testWebhook",
      summary: "Send a message to try a webhook",
      description:
        "Needs `change` on the webhook, which must be enabled. The message has the event `test` and is about the " +
        "webhook itself; it is signed, sent and tried again as all others are. The answer is its delivery as it " +
        "waits to be sent: read it again to see what came of it.",
      tag: "extras",
      answers: ANSWERS,
      handle: async ({ ctx, id }) => json(await testWebhook({ ctx, id }), { status: 202 }),
    },
    {
      method: "POST",
      path: `/api/${webhookDeliveries.path}/{id}/redeliver/`,
      operationId: "redeliverWebhookDelivery",
      summary: "Send a message at once: once more, or before its next attempt is due",
      description:
        "Needs `change` on the webhook. A message that has arrived or was given up begins anew, one that waits for its " +
        "next attempt goes on from it; both keep their `webhook-id`, by which the receiver knows them. Refused while " +
        "it is being sent, while an earlier message about the same object is still to be sent, and where the " +
        "webhook is disabled.",
      tag: "extras",
      answers: ANSWERS,
      handle: async ({ ctx, id }) => json(await redeliver({ ctx, id }), { status: 202 }),
    },
  ];
}
