/**
 * Notification deliveries: the messages to channels and their outcomes. Read-only; only the sender writes
 * them.
 */

import { sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../auth/mod.ts";
import { formatDatetime } from "../../base/clock.ts";
import { notification_deliveries as table } from "../../db/schema/mod.ts";
import {
  defineResource,
  id,
  integer,
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
export const notificationDeliveries: Resource = defineResource({
  objectType: "certmgr.notificationdelivery",
  path: "plugins/certmgr/notification-deliveries",
  label: "notification delivery",
  labelPlural: "notification deliveries",
  table,
  fields: [
    id(),
    reference("channel", {
      description: "The channel; null for e-mail to a user's own address.",
      target: () => channels,
      keys: ["name"],
      readOnly: true,
      onDelete: "drop",
    }),
    reference("subscription", {
      description: "The subscription; null for a test message.",
      target: () => subscriptions,
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

/** A message, its state and its time. */
export interface LatestDelivery {
  readonly id: number;
  readonly state: string;
  readonly created: string;
}

/**
 * Returns the latest delivery that the caller may view of each channel that has one, by its id. One statement: for each
 * channel, the end of the index of its deliveries.
 */
export async function latestDeliveries(
  ctx: Context,
  channels: readonly number[],
): Promise<ReadonlyMap<number, LatestDelivery>> {
  if (channels.length === 0) return new Map();
  const { map, table } = notificationDeliveries;
  const seen = visibleSql(ctx, map, "latest");
  const rows = await ctx.database.all<{ channel: number; id: number; state: string; created: number }>(
    sql`SELECT delivery.channel_id AS channel, delivery.id, delivery.state, delivery.created
      FROM json_each(${JSON.stringify(channels)}) AS channel
      CROSS JOIN ${table} AS delivery ON delivery.id = (
        SELECT latest.id FROM ${table} AS latest WHERE latest.channel_id = channel.value${
      seen === undefined ? sql`` : sql` AND ${seen}`
    } ORDER BY latest.id DESC LIMIT 1)`,
  );
  return new Map(rows.map(({ channel, created, ...row }) => [
    channel,
    { ...row, created: formatDatetime(created) },
  ]));
}
