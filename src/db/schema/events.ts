/** Tables of the change log, the outbox, webhooks and their deliveries. */

import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/**
 * `core.objectchange`. Append-only. `user_id` is not a foreign key, because entries are kept after their
 * users are deleted.
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
  /** The object before and after, as `changes/snapshots.ts` stores them. */
  snapshots: blob({ mode: "buffer" }).notNull(),
  /** The caller's comment on the change. */
  message: label(),
  /** The object that a changed assignment of a contact is about, or the new successor of a certificate. */
  related_object_type: text(),
  related_object_id: integer(),
});

/** Events, which are kept until they are dispatched to webhooks, and for some days after that. */
export const outbox = sqliteTable("outbox", {
  id: key(),
  /** The last and the first change that the event reports; null if the event is not a change. */
  change_id: integer(),
  first_change_id: integer(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  /** `created`, `updated`, `deleted`, or the name of an event that is not a change. */
  event: text().notNull(),
  created: timestamp(),
  /** `pending`, or `done` if its deliveries were created. */
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
  /** JSON condition on the object; null for every object. */
  conditions: text(),
  /** Why the service disabled it; empty if it did not. */
  disabled_reason: label(),
  /** Number of consecutive failed deliveries. */
  failure_count: integer().notNull().default(0),
  ...stamps(),
  /** Time of the next attempt of a webhook that failed many times in a row; null while it works. */
  probe_at: integer(),
  /** Id of the last event in the outbox before it was enabled, which like earlier ones is not sent. */
  enabled_after: integer().notNull().default(0),
});

/** A message to a webhook, and its outcome. */
export const webhook_deliveries = sqliteTable("webhook_deliveries", {
  id: key(),
  webhook_id: integer().notNull(),
  outbox_id: integer(),
  /** The id that the receiver sees, which is the same for each attempt. */
  event_id: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  event: text().notNull(),
  /** `pending`, `delivered` or `dead` (given up). */
  state: text().notNull().default("pending"),
  attempts: integer().notNull().default(0),
  /** The last response, with the beginning of its body. */
  response_status: integer(),
  response_body: label(),
  duration_ms: integer(),
  /** Kind of failure of the last attempt; null if it succeeded. */
  failure: text(),
  error: label(),
  /**
   * Time of the next attempt, or while it is being sent the end of its lease. null if it waits for an earlier
   * message about its object, or is finished.
   */
  next_attempt: integer(),
  /** The process that is sending it. */
  lease_owner: text(),
  /** JSON of the message. */
  body: label(),
  ...stamps(),
});
