/** Sign-in by other means than a password, and the log of sign-ins. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, timestamp } from "./columns.ts";

/** Accounts of users at OpenID Connect providers. */
export const user_identities = sqliteTable("user_identities", {
  id: key(),
  user_id: integer().notNull(),
  issuer: text().notNull(),
  subject: text().notNull(),
  /** JSON list of the ids of groups that the user has because of the provider. */
  groups: text().notNull().default("[]"),
  made_superuser: flag(0),
  deactivated: flag(0),
  created: timestamp(),
  last_sign_in: timestamp(),
});

/** `core.auditevent`. Append-only. */
export const audit_events = sqliteTable("audit_events", {
  id: key(),
  time: timestamp(),
  event: text().notNull(),
  user_id: integer(),
  username: label(),
  address: label(),
  user_agent: label(),
  detail: label(),
});

/** WebAuthn credentials of users. */
export const passkeys = sqliteTable("passkeys", {
  id: key(),
  user_id: integer().notNull(),
  name: text().notNull(),
  /** In base64url, like the public key. */
  credential_id: text().notNull(),
  public_key: text().notNull(),
  sign_count: integer().notNull(),
  /** JSON list: `usb`, `internal`, …. */
  transports: text().notNull().default("[]"),
  /** Host name for which it was created; it is not valid for any other. */
  rp_id: text().notNull(),
  created: timestamp(),
  last_used: integer(),
});

/** Secrets of authenticator apps (TOTP). */
export const authenticator_apps = sqliteTable("authenticator_apps", {
  user_id: integer().primaryKey(),
  /** In Base32. */
  secret: text().notNull(),
  /** Time step of the last accepted code. */
  last_step: integer().notNull(),
  created: timestamp(),
});

/** SHA-256 of the unused recovery codes. */
export const recovery_codes = sqliteTable("recovery_codes", {
  hash: text().primaryKey(),
  user_id: integer().notNull(),
});

/** Numbers of wrong codes at sign-in. */
export const code_failures = sqliteTable("code_failures", {
  user_id: integer().primaryKey(),
  count: integer().notNull(),
  until: integer().notNull(),
});
