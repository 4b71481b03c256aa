/** View of webhook messages. */

import { isGranted } from "../../../auth/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { webhookDeliveries, type WebhookDelivery } from "../../../domain/webhooks/deliveries/mod.ts";
import { TEST_EVENT, WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES, webhooks } from "../../../domain/webhooks/mod.ts";
import type { Call } from "../../call.ts";
import { Copyable, Form, type Html, Icon } from "../../kit/components/mod.ts";
import { mayActOn, type View } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { typeLabel } from "../../type_label.ts";

/** Messages cannot be edited, only sent again. */
export const deliveryView: View<WebhookDelivery> = {
  resource: webhookDeliveries,
  columns: ["state", "created", "webhook", "attempts", "next_attempt", "response_status", "error"],
  filters: ["state", "event", "webhook_id"],
  fields: {
    object_type: {
      choices: () => [...WEBHOOK_OBJECT_TYPES, webhooks.objectType].map((type) => [type, typeLabel(type)]),
    },
    event: {
      choices: () =>
        [...WEBHOOK_EVENTS, TEST_EVENT].map((event) => [event, event.replaceAll("_", " ")] as const),
    },
  },
  title: {
    needs: ["event", "object_type", "object_id"],
    of: ({ event, object_type, object_id }) =>
      `${event.replaceAll("_", " ")}: ${typeLabel(object_type)} ${object_id}`,
  },
  empty: "No deliveries yet. Messages sent to webhooks appear here.",
  detail: (call, delivery) => ({
    actions: redeliverButton(call, delivery),
    sections: <Message call={call} delivery={delivery} />,
  }),
};

/** Returns whether an attempt has failed and another one is due. */
function awaitsRetry({ state, error, next_attempt }: WebhookDelivery): boolean {
  return state === "pending" && error !== "" && next_attempt !== null;
}

async function redeliverButton(call: Call, delivery: WebhookDelivery): Promise<Html | null> {
  if (delivery.state === "pending" && !awaitsRetry(delivery)) return null;
  const { webhook } = delivery;
  if (webhook === null || !await mayActOn(call, webhooks, { action: "change", id: webhook.id })) return null;
  return (
    <Form call={call} action={`${objectPath(webhookDeliveries, delivery.id)}redeliver/`} class="inline">
      <button type="submit" class="secondary">
        <Icon name="delivery" />
        {delivery.state === "pending" ? "Send now" : "Redeliver"}
      </button>
    </Form>
  );
}

function Message({ call, delivery }: { call: Call; delivery: WebhookDelivery }): Html {
  const { object_type, object_id, state } = delivery;
  const subject = resourceOf(object_type);
  return (
    <section aria-labelledby="message">
      {state === "pending"
        ? (
          <p>
            {awaitsRetry(delivery)
              ? "The last attempt failed. The message will be sent again."
              : "The message is being sent."} <a href={call.url.pathname}>Refresh</a>
          </p>
        )
        : null}
      <h2 id="message">Message</h2>
      <Copyable text={JSON.stringify(delivery.body, null, 2)} label="Message" />
      {subject === undefined || !isGranted(call.ctx, "view", subject.objectType) ? null : (
        <p>
          <a href={objectPath(subject, object_id)}>View {subject.label}</a>
        </p>
      )}
    </section>
  );
}
