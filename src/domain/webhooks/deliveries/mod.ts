/** The log of messages to webhooks, and its operations: test, redeliver, prune. */

export { type EventRecord, messageBody, newMessageId } from "./payload.ts";
export { pruneDeliveries } from "./prune_deliveries.ts";
export { recoverDelayed } from "./recover_delayed.ts";
export { redeliver } from "./redeliver.ts";
export { type MessageSubject, releaseNext } from "./release_next.ts";
export {
  DELIVERY_STATES,
  latestDeliveries,
  type LatestDelivery,
  outcomeFields,
  webhookDeliveries,
  type WebhookDelivery,
} from "./resource.ts";
export { testWebhook } from "./test_webhook.ts";
