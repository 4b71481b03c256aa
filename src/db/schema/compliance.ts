/** Compliance: policies, their results, and the score of each day. */

import { integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, stamps, timestamp } from "./columns.ts";

/** `certmgr.compliancepolicy`. */
export const compliance_policies = sqliteTable("compliance_policies", {
  id: key(),
  name: text().notNull(),
  description: label(),
  policy_type: text().notNull(),
  /** `critical`, `warning` or `info`. */
  severity: text().notNull().default("warning"),
  enabled: flag(1),
  /** JSON object; its shape depends on `policy_type`. */
  parameters: text().notNull().default("{}"),
  /** Applies to this tenant's certificates only; null: all. */
  tenant_id: integer(),
  ...stamps(),
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
});

/** The whole inventory's score on one UTC day. */
export const compliance_scores = sqliteTable("compliance_scores", {
  id: key(),
  /** Start of the day, in milliseconds since the epoch. */
  day: timestamp(),
  passed: integer().notNull(),
  failed: integer().notNull(),
  /** Percent. */
  score: real().notNull(),
});

/** A policy's results on one UTC day. */
export const compliance_policy_scores = sqliteTable("compliance_policy_scores", {
  id: key(),
  policy_id: integer().notNull(),
  /** Start of the day, in milliseconds since the epoch. */
  day: timestamp(),
  passed: integer().notNull(),
  failed: integer().notNull(),
});

/** Since when a check fails, and until when it did; written by triggers. */
export const compliance_failures = sqliteTable("compliance_failures", {
  id: key(),
  check_id: integer().notNull(),
  since: timestamp(),
  /** Null while it fails. */
  until: integer(),
});
