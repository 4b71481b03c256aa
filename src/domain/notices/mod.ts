/** Notifications: channels, subscriptions, and the messages that they send. */

export { CHANNEL_KIND_NAMES, channelKind, type ChannelKindName } from "./channel_kinds.ts";
export { type Channel, channels } from "./channels.ts";
export { notificationDeliveries, type NotificationDelivery, testChannel } from "./deliveries.ts";
export { NOTICE_EVENT_NAMES, NOTICE_EVENTS } from "./event_names.ts";
export { RESPOND_PATH } from "./links.ts";
export {
  acknowledgeCertificate,
  type NoticeResponse,
  proposedReminder,
  readResponse,
  remindCertificate,
  respondByLink,
  snoozeCertificate,
  viewLink,
} from "./respond.ts";
export { nextDigest } from "./load_subscriptions.ts";
export { tellOwners } from "./tell_owners.ts";
export { OWNER, type Subscription, subscriptions } from "./subscriptions.ts";

/** Loads the evaluation of subscriptions, which requests do not need. */
export function loadRun(): Promise<typeof import("./run_notices.ts")> {
  return import("./run_notices.ts");
}

/** Loads the sender of messages. */
export function loadSender(): Promise<typeof import("./notice_messages.ts")> {
  return import("./notice_messages.ts");
}

/** Loads the preview of a subscription. */
export function loadPreview(): Promise<typeof import("./preview_subscription.ts")> {
  return import("./preview_subscription.ts");
}
