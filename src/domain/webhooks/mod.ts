/** Webhooks: their configuration, and which of them match an event. */

export {
  TEST_EVENT,
  WEBHOOK_EVENTS,
  WEBHOOK_OBJECT_TYPES,
  type WebhookEvent,
  webhookSubjects,
} from "./events.ts";
export { choicesField } from "./fields.ts";
export { matchingWebhooks, type Occurrence } from "./matching_webhooks.ts";
export { webhooks } from "./resource.ts";
