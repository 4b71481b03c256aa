/** Endpoints, what was observed at them, and scans that find new ones. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** `certmgr.endpoint`, unique by host, port, protocol and server name. */
export const endpoints = sqliteTable("endpoints", {
  id: key(),
  /** A lower-case name or a canonical address. */
  host: text().notNull(),
  port: integer().notNull().default(443),
  /** The name to ask for (SNI); null: the host. */
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
  /** JSON list of all states that apply, worst first. */
  states: text().notNull().default("[]"),
  addresses_differ: flag(0),
  certificate_id: integer(),
  last_probed: integer(),
  last_changed: integer(),
  /** `manual`, `scan` or `agent:<name>`. */
  source: text().notNull().default("manual"),
  /** When it is probed next; while it is being probed, when the lease ends. Null: the service does not probe it. */
  next_probe: integer(),
  lease_owner: text(),
  /** Probes since it was found to serve a replaced certificate; null: it serves none. */
  watch_step: integer(),
  ...stamps(),
  /** The place of the state among all, worst first. */
  severity: integer().notNull().default(11),
});

/** `certmgr.observation`: what one address presented, from its first probe to its last one without a change. */
export const observations = sqliteTable("observations", {
  id: key(),
  endpoint_id: integer().notNull(),
  /** Empty when the name could not be resolved. */
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
  /** When it runs next; while it runs, when the lease ends. Null: it does not run by itself. */
  next_run: integer(),
  lease_owner: text(),
  ...stamps(),
});
