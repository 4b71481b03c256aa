/** Endpoints, observations of them, and scans that find new ones. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** `certmgr.endpoint`, unique by host, port, protocol and server name. */
export const endpoints = sqliteTable("endpoints", {
  id: key(),
  /** A lower-case name or a canonical address. */
  host: text().notNull(),
  port: integer().notNull().default(443),
  /** The server name to send (SNI); null for the host. */
  server_name: text(),
  protocol: text().notNull().default("tls"),
  description: label(),
  tenant_id: integer(),
  assigned_object_type: text(),
  assigned_object_id: integer(),
  expected_certificate_id: integer(),
  enabled: flag(1),
  interval_minutes: integer().notNull().default(360),
  state: text().notNull().default("pending"),
  state_message: label(),
  state_reason: label(),
  /** JSON list of all states that apply, worst first. */
  states: text().notNull().default("[]"),
  addresses_differ: flag(0),
  certificate_id: integer(),
  last_probed: integer(),
  last_changed: integer(),
  /** `manual`, `scan` or `agent:<name>`. */
  source: text().notNull().default("manual"),
  /**
   * Time of the next probe, or during a probe the end of the lease. null if the service does not probe it.
   */
  next_probe: integer(),
  lease_owner: text(),
  /** Number of probes since it was found to serve a replaced certificate; null if it serves none. */
  watch_step: integer(),
  ...stamps(),
  /** The rank of the state among all states, worst first. */
  severity: integer().notNull().default(12),
  possession: text().notNull().default("unproven"),
  /** The user who last changed its address, object or tenant; null for the service. */
  edited_by: integer(),
  /** JSON list of the states without certificates that a reader may not view. */
  shown_states: text().notNull().default("[]"),
});

/**
 * `certmgr.observation`: what an address presented, from the first to the last probe with the same result.
 */
export const observations = sqliteTable("observations", {
  id: key(),
  endpoint_id: integer().notNull(),
  /** Empty if the name could not be resolved. */
  address: text().notNull(),
  certificate_id: integer(),
  /** JSON list of SHA-256 fingerprints in the order presented, lower-case digits. */
  presented: text().notNull().default("[]"),
  /** Name and expiry of the first certificate, known even if it is not in the inventory. */
  common_name: label(),
  valid_to: integer(),
  tls_version: label(),
  cipher: label(),
  alpn: label(),
  ocsp_stapled: flag(0),
  latency_ms: integer(),
  state: text().notNull(),
  state_message: label(),
  first_seen: timestamp(),
  last_seen: timestamp(),
  probes: integer().notNull().default(1),
  /** `probe` or `agent:<name>`. */
  source: label(),
  ...stamps(),
  possession: text().notNull().default("unproven"),
  /** JSON list of codes. */
  findings: text().notNull().default("[]"),
  shown_states: text().notNull().default("[]"),
});

/** `certmgr.scanjob`. */
export const scan_jobs = sqliteTable("scan_jobs", {
  id: key(),
  name: text().notNull(),
  /** JSON lists of networks and of ports. */
  networks: text().notNull(),
  ports: text().notNull(),
  /** Connections per second. */
  rate: integer().notNull().default(50),
  interval_minutes: integer().notNull().default(1440),
  enabled: flag(1),
  tenant_id: integer(),
  last_run: integer(),
  /** JSON object with the counts of the last run. */
  last_result: text(),
  /** Time of the next run, or during a run the end of the lease. null if it is not scheduled. */
  next_run: integer(),
  lease_owner: text(),
  ...stamps(),
});
