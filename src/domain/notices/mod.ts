/** Notifications: channels, subscriptions, and the messages that they send. */

export { CHANNEL_KIND_NAMES, channelKind, type ChannelKindName } from "./channel_kinds.ts";
export { type Channel, channels } from "./channels.ts";
export { testChannel } from "./test_channel.ts";
export { notificationDeliveries, type NotificationDelivery } from "./deliveries.ts";
export { recordJobResult } from "./derive_events.ts";
export { NOTICE_EVENT_NAMES, NOTICE_EVENTS } from "./event_names.ts";
export { RESPOND_PATH } from "./links.ts";
export {
  acknowledgeCertificate,
  type NoticeResponse,
  proposedReminder,
  readResponse,
  respondByLink,
  snoozeCertificate,
  viewLink,
} from "./respond.ts";
export { noticeSender, previewNotices, previewSubscription, pruneNotices, runNotices } from "./on_demand.ts";
export type { PreviewedMessage } from "./run_notices.ts";
export { nextDigest } from "./schedule.ts";
export { OWNER, type Subscription, subscriptions } from "./subscriptions.ts";
