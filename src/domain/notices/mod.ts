/** Notifications: channels, subscriptions, and the messages that they send. */

export { CHANNEL_KIND_NAMES, channelKind, type ChannelKindName } from "./channel_kinds.ts";
export { channels } from "./channels.ts";
export { testChannel } from "./test_channel.ts";
export { notificationDeliveries } from "./deliveries.ts";
export { recordJobResult } from "./derive_events.ts";
export { NOTICE_EVENT_NAMES, NOTICE_EVENTS, type NoticeEvent } from "./event_names.ts";
export { RESPOND_PATH } from "./links.ts";
export {
  acknowledgeCertificate,
  type NoticeResponse,
  readResponse,
  respondByLink,
  snoozeCertificate,
  type UsableLink,
  viewLink,
} from "./respond.ts";
export { noticeSender, previewNotices, previewSubscription, pruneNotices, runNotices } from "./on_demand.ts";
export type { PreviewedMessage } from "./run_notices.ts";
export type { NoticePorts } from "./notice_messages.ts";
export { type Mode, nextDigest } from "./schedule.ts";
export { OWNER, subscriptions } from "./subscriptions.ts";
