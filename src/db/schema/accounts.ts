/** Users, groups, tokens, sessions and object permissions. */

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, key, label, named, stamps, timestamp } from "./columns.ts";

/** `users.user`. `password_hash` is null for users who cannot sign in with a password. */
export const users = sqliteTable("users", {
  id: key(),
  username: text().notNull(),
  password_hash: text(),
  first_name: label(),
  last_name: label(),
  email: label(),
  is_active: flag(1),
  is_superuser: flag(0),
  last_login: integer(),
  ...stamps(),
  /** Whether the user has a passkey or an authenticator app. */
  has_second_factor: flag(0),
});

/** `users.group`. */
export const groups = sqliteTable("groups", {
  ...named(),
});

/** Members of groups. */
export const user_groups = sqliteTable("user_groups", {
  user_id: integer().notNull(),
  group_id: integer().notNull(),
});

/** `users.token`. The key itself is never stored; `key_prefix` is the part that may be shown. */
export const tokens = sqliteTable("tokens", {
  id: key(),
  user_id: integer().notNull(),
  key_hash: text().notNull(),
  key_prefix: text().notNull(),
  description: label(),
  enabled: flag(1),
  write_enabled: flag(1),
  expires: integer(),
  /** JSON list of addresses and networks; empty for any. */
  allowed_ips: text().notNull().default("[]"),
  last_used: integer(),
  ...stamps(),
});

/** `users.objectpermission`. */
export const object_permissions = sqliteTable("object_permissions", {
  ...named(),
  enabled: flag(1),
  /** JSON list of `app.model`. */
  object_types: text().notNull().default("[]"),
  /** JSON list of actions. */
  actions: text().notNull().default("[]"),
  /** JSON object or list of objects; null without restrictions. */
  constraints: text(),
});

/** Users who have a permission. */
export const object_permission_users = sqliteTable("object_permission_users", {
  object_permission_id: integer().notNull(),
  user_id: integer().notNull(),
});

/** Groups that have a permission. */
export const object_permission_groups = sqliteTable("object_permission_groups", {
  object_permission_id: integer().notNull(),
  group_id: integer().notNull(),
});

/** Web sessions. `secret_hash` is the hash of the cookie's value, `csrf` the token in forms. */
export const sessions = sqliteTable("sessions", {
  id: key(),
  user_id: integer().notNull(),
  secret_hash: text().notNull(),
  csrf: text().notNull(),
  created: timestamp(),
  expires: timestamp(),
  last_seen: timestamp(),
  address: label(),
  user_agent: label(),
  /** 0 if the user signed in with a provider or through a proxy. */
  is_local: flag(1),
});
