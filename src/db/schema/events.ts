/** What happened and who is told: the change log, the outbox, webhooks and their deliveries. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, moment, stamps } from "./columns.ts";

/** `core.objectchange`. Append-only; `user_id` is no foreign key, for the log outlives its users. */
export const object_changes = sqliteTable("object_changes", {
  id: key(),
  time: moment(),
  user_id: integer(),
  username: label(),
  request_id: label(),
  /** `create`, `update` or `delete`. */
  action: text().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  object_repr: label(),
  /** JSON of the object before and after; null where there is none. */
  prechange: text(),
  postchange: text(),
});

/** Changes that webhooks are still to hear of. */
export const outbox = sqliteTable("outbox", {
  id: key(),
  change_id: integer().notNull(),
  object_type: text().notNull(),
  object_id: integer().notNull(),
  /** `created`, `updated` or `deleted`. */
  event: text().notNull(),
  created: moment(),
  /** `pending`, `leased` or `done`. */
  state: text().notNull().default("pending"),
  lease_owner: text(),
  lease_until: integer(),
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
  /** JSON lookup on the object; null: every object. */
  conditions: text(),
  /** Why the service switched it off; empty when it did not. */
  disabled_reason: label(),
  /** Deliveries that failed in a row. */
  failure_count: integer().notNull().default(0),
  ...stamps(),
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
  state: text().notNull().default("pending"),
  attempts: integer().notNull().default(0),
  response_status: integer(),
  duration_ms: integer(),
  error: label(),
  /** When to try (again); null when there is nothing more to try. */
  next_attempt: integer(),
  body: label(),
  ...stamps(),
});
