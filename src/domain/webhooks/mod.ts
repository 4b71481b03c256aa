/** Webhooks: their configuration, and which of them match an event. */

export {
  TEST_EVENT,
  WEBHOOK_EVENTS,
  WEBHOOK_OBJECT_TYPES,
  type WebhookEvent,
  webhookSubjects,
} from "./events.ts";
export { enabledWebhooks, matchingWebhooks, type Occurrence, selectsEvent } from "./matching_webhooks.ts";
export { type Webhook, webhooks } from "./resource.ts";
export { snapshotMap } from "./snapshot_map.ts";
