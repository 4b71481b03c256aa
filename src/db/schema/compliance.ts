/** Compliance: policies, their results, and the daily scores. */

import { sql } from "drizzle-orm";
import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, named, stamps, timestamp } from "./columns.ts";

/** `certmgr.compliancepolicy`. */
export const compliance_policies = sqliteTable("compliance_policies", {
  ...named(),
  policy_type: text().notNull(),
  /** `critical`, `warning` or `info`. */
  severity: text().notNull().default("warning"),
  enabled: flag(1),
  /** JSON object, whose members depend on `policy_type`. */
  parameters: text().notNull().default("{}"),
  /** Applies only to this tenant's certificates; null for all. */
  tenant_id: integer(),
  /** JSON list of the kinds of certificates that are checked. */
  kinds: text().notNull().default('["server","client","other"]'),
});

/** `certmgr.compliancecheck`: the latest result, one for each (certificate, policy). */
export const compliance_checks = sqliteTable("compliance_checks", {
  id: key(),
  certificate_id: integer().notNull(),
  policy_id: integer().notNull(),
  /** `pass` or `fail`. */
  result: text().notNull(),
  severity: text().notNull(),
  message: label(),
  checked_value: label(),
  expected_value: label(),
  checked_at: timestamp(),
  ...stamps(),
  /** Rank of the severity, most severe first. */
  severity_rank: integer().generatedAlwaysAs(
    sql`(CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END)`,
  ),
  /** The expiry of the certificate, which a trigger keeps current. */
  certificate_valid_to: timestamp(),
});

/** The score of the whole inventory on a UTC day. */
export const compliance_scores = sqliteTable("compliance_scores", {
  id: key(),
  /** Start of the day, in milliseconds since the epoch. */
  day: timestamp(),
  passed: integer().notNull(),
  failed: integer().notNull(),
  /** In percent. */
  score: real().notNull(),
});

/** How far the daily evaluation of certificates has come: one row. */
export const evaluation_progress = sqliteTable("evaluation_progress", {
  round_began: timestamp(),
  /** Certificates with this id and higher ones are left; null if the round is complete. */
  next_certificate: integer(),
  /** The trust data with which it began. */
  trust_digest: label(),
});
