/** Notifications: channels, subscriptions, events, messages and responses. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** `certmgr.notificationchannel`. */
export const notification_channels = sqliteTable("notification_channels", {
  id: key(),
  name: text().notNull(),
  kind: text({
    enum: [
      "email",
      "slack",
      "teams",
      "mattermost",
      "google_chat",
      "pagerduty",
      "opsgenie",
      "ntfy",
      "webhook",
    ],
  }).notNull(),
  /** JSON object that depends on the kind. */
  settings: text().notNull().default("{}"),
  secret: label(),
  enabled: flag(1),
  ...stamps(),
});

/** `certmgr.subscription`. */
export const subscriptions = sqliteTable("subscriptions", {
  id: key(),
  name: text().notNull(),
  user_id: integer().notNull(),
  /** null for e-mail of the service to the user's own address. */
  channel_id: integer(),
  /** JSON lists. */
  recipients: text().notNull().default("[]"),
  events: text().notNull().default("[]"),
  /** Query string of the certificate list. */
  filter: label(),
  thresholds: text().notNull().default("[]"),
  mode: text({ enum: ["immediate", "daily", "weekly"] }).notNull().default("daily"),
  at: text().notNull().default("08:00"),
  time_zone: text().notNull().default("UTC"),
  enabled: flag(1),
  escalate_to_id: integer(),
  escalate_after_days: integer(),
  next_run: timestamp(),
  last_event_id: integer().notNull().default(0),
  ...stamps(),
});

/** Events that subscriptions may select. */
export const notice_events = sqliteTable("notice_events", {
  id: key(),
  event: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  detail: label(),
  time: timestamp(),
});

/** How far a log was read to derive events. */
export const notice_progress = sqliteTable("notice_progress", {
  name: text().primaryKey(),
  last_id: integer().notNull(),
});

/** `certmgr.notificationdelivery`: a message to one recipient, and its outcome. */
export const notification_deliveries = sqliteTable("notification_deliveries", {
  id: key(),
  channel_id: integer(),
  subscription_id: integer(),
  /** `Message-ID` of e-mail, deduplication key of others. It is the same for each attempt. */
  message_id: text().notNull(),
  event: text().notNull(),
  /** Number of notices in the message. */
  notices: integer().notNull().default(0),
  recipient: label(),
  /** JSON of the message, not converted for the channel. */
  message: text().notNull(),
  state: text().notNull().default("pending"),
  attempts: integer().notNull().default(0),
  response_status: integer(),
  response_body: label(),
  duration_ms: integer(),
  /** Kind of failure of the last attempt; null if it succeeded. */
  failure: text(),
  error: label(),
  next_attempt: integer(),
  lease_owner: text(),
  ...stamps(),
});

/** Notices that each subscription has received. */
export const notices = sqliteTable("notices", {
  subscription_id: integer().notNull(),
  certificate_id: integer().notNull(),
  event: text().notNull(),
  occasion: text().notNull(),
  time: timestamp(),
});

/** Certificates with an acknowledged or snoozed expiry. */
export const notice_responses = sqliteTable("notice_responses", {
  certificate_id: integer().primaryKey(),
  valid_to: timestamp(),
  /** null if acknowledged. */
  snoozed_until: integer(),
  reason: label(),
  user_id: integer(),
  username: label(),
  created: timestamp(),
});

/** Keys that the service has created for itself. */
export const service_keys = sqliteTable("service_keys", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** SHA-256 of used links. */
export const used_links = sqliteTable("used_links", {
  hash: text().primaryKey(),
  expires: timestamp(),
});
