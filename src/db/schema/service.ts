/** Tables for the service's own work. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** Which node runs which scheduled job, until when. */
export const leases = sqliteTable("leases", {
  name: text().primaryKey(),
  owner: text().notNull(),
  until: timestamp(),
});

/**
 * Documents of the bulk import page, and the results of their validation, between preview and confirmation.
 */
export const import_previews = sqliteTable("import_previews", {
  id: key(),
  user_id: integer().notNull(),
  key: text().notNull(),
  content: text().notNull(),
  /** How the document is imported, its columns, errors and numbers of rows, as JSON. */
  head: text().notNull(),
  /** The rows with their expected results: lines of JSON, each a list of some of them. */
  rows: text().notNull(),
  /** Corrected cells by row and column, as JSON. */
  edits: text().notNull().default("{}"),
  created: timestamp(),
  expires: timestamp(),
  confirmed: integer(),
});

/** `certmgr.calendarfeed`: a calendar of expiry dates, which anyone who knows its secret URL can read. */
export const calendar_feeds = sqliteTable("calendar_feeds", {
  id: key(),
  user_id: integer().notNull(),
  name: label(),
  token_hash: text().notNull(),
  /** Query string of the certificate list that the calendar shows. */
  filter: label(),
  created: timestamp(),
  last_used: integer(),
  description: label(),
  /** Number of days before each expiry at which there is a reminder; null for none. */
  alarm_days: integer(),
  last_updated: integer().notNull().default(0),
});

/** `certmgr.savedview`: a list with its filters, order and columns. */
export const saved_views = sqliteTable("saved_views", {
  id: key(),
  user_id: integer().notNull(),
  name: text().notNull(),
  object_type: text().notNull(),
  /** Query string of the list. */
  query: label(),
  shared: flag(0),
  ...stamps(),
});

/** How a user wants to see pages. */
export const user_preferences = sqliteTable("user_preferences", {
  user_id: integer().primaryKey(),
  /** Name of a time zone; empty for that of the browser. */
  time_zone: label(),
  /** Of lists, in pixels: 32 or 40. */
  row_height: integer().notNull().default(40),
  /** Columns and page size by the name of a list, as JSON. */
  lists: text().notNull().default("{}"),
});

/** Applied migrations, with the SHA-256 of their text. */
export const schema_migrations = sqliteTable("schema_migrations", {
  name: text().primaryKey(),
  applied_at: timestamp(),
  checksum: text().notNull(),
});

/** Objects that were imported from another system. `digest` is the SHA-256 of the last imported content. */
export const import_mappings = sqliteTable("import_mappings", {
  /** URL of the system. */
  source: text().notNull(),
  object_type: text().notNull(),
  source_id: integer().notNull(),
  local_id: integer().notNull(),
  digest: text().notNull(),
});
