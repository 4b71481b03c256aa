/** Tables of the change log, the outbox, webhooks and their deliveries. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** `core.objectchange`. Append-only; `user_id` is no foreign key, for the log outlives its users. */
export const object_changes = sqliteTable("object_changes", {
  id: key(),
  time: timestamp(),
  user_id: integer(),
  username: label(),
  request_id: label(),
  /** `create`, `update` or `delete`. */
  action: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  object_repr: label(),
  /** The object before and after, packed; null where there is none. To be read from the view `change_snapshots`. */
  prechange: text(),
  postchange: text(),
  /** What the caller says about the change. */
  message: label(),
});

/** The names of the fields of snapshots. */
export const snapshot_shapes = sqliteTable("snapshot_shapes", {
  /** A hash of the names. */
  shape: integer().primaryKey(),
  /** JSON list. */
  names: text().notNull(),
});

/** Events, until they have been handed to webhooks, and a while longer. */
export const outbox = sqliteTable("outbox", {
  id: key(),
  /** The last change that the event tells of, and the first; null for an event that is no change. */
  change_id: integer(),
  first_change_id: integer(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  /** `created`, `updated`, `deleted`, or the name of an event that is no change. */
  event: text().notNull(),
  created: timestamp(),
  /** `pending` or `done`: deliveries have been created for it. */
  state: text().notNull().default("pending"),
  /** Of an event that is no change: JSON of the object as it is, and of what else is to be said. */
  snapshot: text(),
  details: text(),
});

/** `extras.webhook`. */
export const webhooks = sqliteTable("webhooks", {
  id: key(),
  name: text().notNull(),
  /** JSON lists of `app.model` and of events. */
  object_types: text().notNull().default("[]"),
  events: text().notNull().default("[]"),
  payload_url: text().notNull(),
  http_method: text().notNull().default("POST"),
  enabled: flag(1),
  secret: label(),
  /** JSON object of header names and values. */
  additional_headers: text().notNull().default("{}"),
  /** JSON condition on the object; null: every object. */
  conditions: text(),
  /** Why the service switched it off; empty when it did not. */
  disabled_reason: label(),
  /** Deliveries that failed in a row. */
  failure_count: integer().notNull().default(0),
  ...stamps(),
  /** When a webhook that failed many times in a row is tried next; null while it works. */
  probe_at: integer(),
  /** Mustache that renders the body; empty: the message as it is. */
  body_template: label(),
});

/** One message to one webhook, with its fate. */
export const webhook_deliveries = sqliteTable("webhook_deliveries", {
  id: key(),
  webhook_id: integer().notNull(),
  outbox_id: integer(),
  /** The id that the receiver sees; the same on each attempt. */
  event_id: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  event: text().notNull(),
  /** `pending`, `delivered` or `dead`: given up. */
  state: text().notNull().default("pending"),
  attempts: integer().notNull().default(0),
  /** The last answer; its body cut short. */
  response_status: integer(),
  response_body: label(),
  duration_ms: integer(),
  error: label(),
  /**
   * When to try (again); while it is being sent, when its lease ends. Null when it waits for an earlier one of its
   * object, or is done.
   */
  next_attempt: integer(),
  /** Who is sending it. */
  lease_owner: text(),
  /** JSON of the message. */
  body: label(),
  ...stamps(),
});
