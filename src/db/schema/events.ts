/** Tables of the change log, the outbox, webhooks and their deliveries. */

import { blob, integer, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/**
 * `core.objectchange`. Append-only; `user_id` is not a foreign key, because entries are kept after their users are
 * deleted.
 */
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
  /**
   * The object before and after as texts, unless `snapshots` has both; null where there is none. To be read from the view
   * `change_snapshots`.
   */
  prechange: text(),
  postchange: text(),
  /** The caller's comment on the change. */
  message: label(),
  /** The names of the fields in `snapshots` (see {@link snapshot_shapes}). */
  shape: integer(),
  snapshots: blob({ mode: "buffer" }),
});

/** The names of the fields of snapshots. */
export const snapshot_shapes = sqliteTable("snapshot_shapes", {
  /** A hash of the names. */
  shape: integer().primaryKey(),
  /** JSON list. */
  names: text().notNull(),
});

/** Change records with their snapshots, which `snapshotText` of `changes/` reads. */
export const change_snapshots = sqliteView("change_snapshots", {
  id: integer().notNull(),
  time: timestamp(),
  user_id: integer(),
  username: label(),
  request_id: label(),
  action: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  object_repr: label(),
  message: label(),
  prechange: text(),
  postchange: text(),
}).existing();

/** Events: kept until they have been dispatched to webhooks, and for some days after that. */
export const outbox = sqliteTable("outbox", {
  id: key(),
  /** The last and the first change that the event reports; null for an event that is not a change. */
  change_id: integer(),
  first_change_id: integer(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  /** `created`, `updated`, `deleted`, or the name of an event that is not a change. */
  event: text().notNull(),
  created: timestamp(),
  /** `pending` or `done`: deliveries have been created for it. */
  state: text().notNull().default("pending"),
  /** For an event that is not a change: JSON of the current object, and of additional data. */
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
  /** Why the service disabled it; empty if it did not. */
  disabled_reason: label(),
  /** Deliveries that failed in a row. */
  failure_count: integer().notNull().default(0),
  ...stamps(),
  /** When a webhook that failed many times in a row is tried next; null while it works. */
  probe_at: integer(),
  /** Mustache that renders the body; empty: the message as it is. */
  body_template: label(),
});

/** One message to one webhook, and its outcome. */
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
   * Time of the next attempt; while it is being sent, the end of its lease. Null if it waits for an earlier message
   * about its object, or is finished.
   */
  next_attempt: integer(),
  /** The process that is sending it. */
  lease_owner: text(),
  /** JSON of the message. */
  body: label(),
  ...stamps(),
});
