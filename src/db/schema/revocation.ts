/** What authorities say about the revocation of certificates. */

import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { key, label, stamps, timestamp } from "./columns.ts";

/** `certmgr.revocationcheck`: the newest answer, one for each (certificate, source). */
export const revocation_checks = sqliteTable("revocation_checks", {
  id: key(),
  certificate_id: integer().notNull(),
  /** `crl`, `ocsp` or `stapled`. */
  source: text().notNull(),
  source_url: label(),
  status: text().notNull(),
  reason: label(),
  revoked_at: integer(),
  this_update: integer(),
  next_update: integer(),
  signer: label(),
  response_sha256: label(),
  message: label(),
  checked_at: timestamp(),
  ...stamps(),
});

/** `certmgr.revocationlist`: a list that was requested, one for each URL. */
export const revocation_lists = sqliteTable("revocation_lists", {
  id: key(),
  source_url: text().notNull(),
  issuer: label(),
  crl_number: label(),
  this_update: integer(),
  next_update: integer(),
  entries: integer(),
  bytes: integer(),
  fetched_at: timestamp(),
  /** Why the last request failed. */
  error: label(),
  ...stamps(),
  etag: label(),
  /** Of the list that is kept; empty if none is. */
  sha256: label(),
  refresh_at: timestamp(),
  /** Requests that failed since the last one that did not. */
  failures: integer().notNull().default(0),
});

/** The compressed parts of a list that is kept while it is current. */
export const revocation_list_parts = sqliteTable("revocation_list_parts", {
  list_id: integer().notNull(),
  part: integer().notNull(),
  body: blob({ mode: "buffer" }).notNull(),
});
