/** Operations that send test messages and send messages again. */

import { redeliver, testWebhook, webhookDeliveries } from "../domain/webhooks/deliveries/mod.ts";
import { webhooks } from "../domain/webhooks/mod.ts";
import { type Operation, post } from "./operation.ts";

const CONFLICT: Operation["responses"] = {
  409: {
    description:
      "The webhook is disabled, or the message is being sent or waits for an earlier one about its object.",
    schema: { $ref: "#/components/schemas/Detail" },
  },
};

export function webhookOperations(): Operation[] {
  return [
    post(`/api/${webhooks.path}/{id}/test/`, testWebhook, {
      operationId: "testWebhook",
      summary: "Send a test message to a webhook",
      description:
        "Needs `change` on the webhook, which must be enabled. The message has the event `test` and is about the " +
        "webhook itself; it is signed, sent and retried like all others. The response is its delivery, which waits " +
        "to be sent. Read it again for the result.",
      tag: "extras",
      status: 202,
      response: "The message, waiting to be sent.",
      responses: CONFLICT,
    }),
    post(`/api/${webhookDeliveries.path}/{id}/redeliver/`, redeliver, {
      operationId: "redeliverWebhookDelivery",
      summary: "Send a message again, or before its next attempt is due",
      description:
        "Needs `change` on the webhook. A message that was delivered or given up starts again; one that waits for " +
        "its next attempt keeps its count. Both keep their `webhook-id`, by which the receiver knows them. Refused " +
        "while the message is being sent, while an earlier message about the same object is still to be sent, and " +
        "while the webhook is disabled.",
      tag: "extras",
      status: 202,
      response: "The message, waiting to be sent.",
      responses: CONFLICT,
    }),
  ];
}
