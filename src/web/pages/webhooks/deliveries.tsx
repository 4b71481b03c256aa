/** The log of messages to webhooks, and the routes of both. */

import type { Call, Route } from "../../call.ts";
import { defineView, mayActOn, PostButton, viewRoutes } from "../../kit/mod.ts";
import { webhookView } from "./webhook_view.tsx";
import { deliveryList } from "../notices/mod.ts";
import { redeliver, testWebhook } from "../../../domain/webhooks/deliveries/redeliver.ts";
import { webhookDeliveries, type WebhookDelivery } from "../../../domain/webhooks/deliveries/resource.ts";
import { TEST_EVENT, WEBHOOK_EVENTS, WEBHOOK_OBJECT_TYPES, webhooks } from "../../../domain/webhooks/mod.ts";
import { updateObject } from "../../../resource/mod.ts";
import { objectAction } from "../../responses.ts";
import { isGranted } from "../../../auth/mod.ts";
import { resourceOf } from "../../../domain/registry.ts";
import { Copyable, type Html } from "../../kit/components/mod.ts";
import { objectPath } from "../../paths.ts";
import { typeLabel } from "../../type_label.ts";

/** Messages cannot be edited, only sent again. */
const deliveryView = defineView<WebhookDelivery>({
  resource: webhookDeliveries,
  columns: ["state", "created", "webhook", "attempts", "next_attempt", "response_status", "error"],
  filters: ["state", "failure", "event", "webhook_id"],
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
    actions: delivery.webhook === null || (delivery.state === "pending" && !awaitsRetry(delivery))
      ? null
      : redeliverButton(call, delivery, delivery.webhook),
    sections: <Message call={call} delivery={delivery} />,
  }),
});

/** Returns whether an attempt has failed and another one is due. */
function awaitsRetry({ state, failure, next_attempt }: WebhookDelivery): boolean {
  return state === "pending" && failure !== null && next_attempt !== null;
}

/** Renders the button for users who may change the webhook. */
async function redeliverButton(
  call: Call,
  { id, state }: WebhookDelivery,
  webhook: { readonly id: number },
): Promise<Html | null> {
  if (!await mayActOn(call, webhooks, { action: "change", id: webhook.id })) return null;
  const action = `${objectPath(webhookDeliveries, id)}redeliver/`;
  const label = state === "pending" ? "Send now" : "Redeliver";
  return <PostButton call={call} action={action} label={label} icon="delivery" class="secondary" />;
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

export const webhookRoutes: readonly Route[] = [
  ...viewRoutes(webhookView),
  // This also resets its failures.
  objectAction(webhooks, "enable/", {
    run: ({ ctx }, id) =>
      updateObject({ ctx, resource: webhooks, id, input: { enabled: true }, mode: "patch" }),
    codes: ["invalid"],
    report: "Webhook enabled.",
  }),
  objectAction(webhooks, "test/", {
    run: ({ ctx }, id) => testWebhook({ ctx, id }),
    codes: ["conflict"],
    report: "Test message queued.",
  }),
  ...viewRoutes(deliveryView, { list: deliveryList }),
  objectAction(webhookDeliveries, "redeliver/", {
    run: ({ ctx }, id) => redeliver({ ctx, id }),
    codes: ["conflict"],
    report: "Message queued.",
  }),
];
