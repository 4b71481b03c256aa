/** Incidents, and the certificates that belong to them. */

import { integer, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { label, named, timestamp } from "./columns.ts";

/** `certmgr.incident`. */
export const incidents = sqliteTable("incidents", {
  ...named(),
  kind: text().notNull().default("other"),
  source_url: label(),
  /** JSON object. */
  criteria: text().notNull().default("{}"),
  deadline: integer(),
  /** `open` or `closed`. */
  status: text().notNull().default("open"),
  closed_at: integer(),
  /** Certificates with larger ids that match are not members yet; null: all that match are. */
  joined_to: integer(),
  /** The deadline that was announced. */
  announced_deadline: integer(),
  /** When owners are reminded next. */
  remind_at: integer(),
  /** The certificate up to which owners were reminded this time. */
  reminded_to: integer().notNull().default(0),
});

/** The certificates of incidents. Triggers keep the states of open ones current. */
export const incident_certificates = sqliteTable("incident_certificates", {
  incident_id: integer().notNull(),
  certificate_id: integer().notNull(),
  /** `open`, `replaced`, `deployed` or `excluded`. */
  state: text().notNull(),
  /** Why it is excluded. */
  reason: label(),
  joined_at: timestamp(),
  replaced_at: integer(),
  deployed_at: integer(),
});

/** How far the replacement of each certificate is, and since when it has its successor. */
export const replacement_states = sqliteView("replacement_states", {
  id: integer().notNull(),
  replaced_at: integer(),
  state: text().notNull(),
}).existing();

/** Inserts update the states of the certificates that an assignment or an endpoint left and reached. */
export const certificate_moves = sqliteView("certificate_moves", {
  lost: integer(),
  gained: integer(),
}).existing();
