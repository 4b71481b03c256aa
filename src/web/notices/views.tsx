/** How notification channels, subscriptions and deliveries are shown. */

import {
  channels,
  NOTICE_EVENT_NAMES,
  notificationDeliveries,
  subscriptions,
} from "../../domain/notices/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, Icon } from "../components/mod.ts";
import { type ApiObject, mayActOn, type View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";

/** The view of channels. */
export const channelView: View = {
  resource: channels,
  columns: ["kind", "enabled"],
  filters: ["kind", "enabled"],
  empty:
    "No notification channels yet. A channel sends notifications by e-mail or to a chat or on-call service.",
  related: ({ id }) => [
    ["Subscriptions", `/subscriptions/?channel_id=${id}`],
    ["Deliveries", `/notification-deliveries/?channel_id=${id}`],
  ],
  actions: testButton,
};

async function testButton(call: Call, channel: ApiObject): Promise<Html | null> {
  if (channel.enabled !== true) return null;
  if (!await mayActOn(call, channels, { action: "change", id: channel.id })) return null;
  return (
    <Form call={call} action={`${objectPath(channels, channel.id)}test/`} class="inline">
      <button type="submit" class="secondary">
        <Icon name="delivery" />Send test
      </button>
    </Form>
  );
}

/** The view of subscriptions. */
export const subscriptionView: View = {
  resource: subscriptions,
  columns: ["user", "channel", "mode", "events", "enabled"],
  filters: ["user_id", "channel_id", "mode", "enabled"],
  options: {
    events: () => NOTICE_EVENT_NAMES.map((event) => [event, event.replaceAll("_", " ")] as const),
  },
  empty:
    "No subscriptions yet. Subscribe to be notified when certificates expire, at once or once a day or week.",
  related: ({ filter, id }) => [
    ["Certificates", `/certificates/?${filter}`],
    ["Deliveries", `/notification-deliveries/?subscription_id=${id}`],
  ],
};

/** The view of deliveries. */
export const noticeDeliveryView: View = {
  resource: notificationDeliveries,
  columns: ["state", "created", "channel", "subscription", "notices", "attempts", "error"],
  filters: ["state", "event", "channel_id", "subscription_id"],
  options: {
    event: () =>
      [...NOTICE_EVENT_NAMES, "digest", "test"].map((event) => [event, event.replaceAll("_", " ")] as const),
  },
  empty: "No deliveries yet. Messages of subscriptions appear here.",
};
