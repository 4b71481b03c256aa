/**
 * Notification deliveries: the messages to channels and their outcomes. Read-only; only the sender writes
 * them.
 */

import { notification_deliveries as table } from "../../db/schema/mod.ts";
import {
  defineResource,
  id,
  integer,
  type Out,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { outcomeFields } from "../webhooks/deliveries/mod.ts";
import { channels } from "./channels.ts";
import { subscriptions } from "./subscriptions.ts";

/**
 * `certmgr.notificationdelivery`. The messages are not included: they contain what their recipients may view,
 * which the readers of this log may not.
 */
export const notificationDeliveries = defineResource({
  objectType: "certmgr.notificationdelivery",
  path: "plugins/certmgr/notification-deliveries",
  label: "notification delivery",
  labelPlural: "notification deliveries",
  table,
  fields: [
    id(),
    reference("channel", {
      description: "The channel; null for e-mail to a user's own address.",
      target: (): Resource => channels,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    reference("subscription", {
      description: "The subscription; null for a test message.",
      target: (): Resource => subscriptions,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    text("message_id", {
      description:
        "Id of the message, the same for every attempt; the left side of an e-mail's `Message-ID`.",
      readOnly: true,
    }),
    text("event", {
      description: "The event of a single notice, `digest`, or `test` for a test message.",
      readOnly: true,
    }),
    integer("notices", { description: "Number of notices in the message.", readOnly: true }),
    ...outcomeFields({
      responseStatus: "Status of the last response (HTTP or SMTP); null if there was none.",
      nextAttempt: "Time of the next attempt; null if the message is delivered or dead.",
    }),
    ...timestamps(),
  ],
  brief: ["event", "state"],
  displayNeeds: ["event", "message_id"],
  display: (row) => `${row.event} ${row.message_id}`,
  searchFields: ["error", "message_id"],
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  untracked: true,
});

export type NotificationDelivery = Out<typeof notificationDeliveries>;
