/** Loads the account of a token or a user id with all its grants, in one statement. */

import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/mod.ts";
import type { Millis } from "../base/clock.ts";
import type { Actor, Grant } from "./context.ts";

/** A user's stored state, and the token by which it was found. */
export interface Account {
  readonly actor: Actor;
  readonly isActive: boolean;
  readonly token?: TokenState;
}

/** The properties that decide whether a token is accepted. */
export interface TokenState {
  readonly id: number;
  readonly enabled: boolean;
  readonly expires: Millis | null;
  /** Addresses and networks; empty: from anywhere. */
  readonly allowedIps: readonly string[];
  readonly lastUsed: Millis | null;
}

/**
 * Grants of every signed-in user: to view their own account, and to manage their own tokens and calendars. A read-only
 * token cannot use the latter, as it cannot write at all.
 */
const OWN: readonly Grant[] = [
  { objectTypes: ["users.user"], actions: ["view"], constraints: { id: "$user" } },
  {
    objectTypes: ["users.token", "certmgr.calendarfeed"],
    actions: ["view", "add", "change", "delete"],
    constraints: { user: "$user" },
  },
];

/** Returns the account of the token whose key has this SHA-256. */
export async function accountOfKey(database: Database, keyHash: string): Promise<Account | undefined> {
  const [row] = await database.all<UserRow & TokenRow>(
    sql`SELECT ${USER}, tokens.id AS token_id, tokens.enabled, tokens.write_enabled, tokens.expires,
        tokens.allowed_ips, tokens.last_used
      FROM tokens JOIN users ON users.id = tokens.user_id WHERE tokens.key_hash = ${keyHash}`,
  );
  if (row === undefined) return undefined;
  const token: TokenState = {
    id: row.token_id,
    enabled: row.enabled === 1,
    expires: row.expires,
    allowedIps: JSON.parse(row.allowed_ips),
    lastUsed: row.last_used,
  };
  const actor: Actor = {
    ...actorFrom(row),
    mayWrite: row.write_enabled === 1,
    tokenId: token.id,
    tokenLimits: { expires: token.expires, allowedIps: token.allowedIps },
  };
  return { actor, isActive: row.is_active === 1, token };
}

/** Returns the account of a user. */
export async function accountOfUser(database: Database, userId: number): Promise<Account | undefined> {
  const [row] = await database.all<UserRow>(sql`SELECT ${USER} FROM users WHERE users.id = ${userId}`);
  return row === undefined ? undefined : { actor: actorFrom(row), isActive: row.is_active === 1 };
}

interface UserRow {
  user_id: number;
  username: string;
  is_active: number;
  is_superuser: number;
  grants: string;
}

interface TokenRow {
  token_id: number;
  enabled: number;
  write_enabled: number;
  expires: number | null;
  allowed_ips: string;
  last_used: number | null;
}

/** Columns of a user with the enabled permissions assigned directly or through groups; none for superusers. */
const USER: SQL = sql`users.id AS user_id, users.username, users.is_active, users.is_superuser,
  (SELECT json_group_array(json_object('objectTypes', json(object_types), 'actions', json(actions),
      'constraints', json(constraints)))
    FROM object_permissions WHERE enabled = 1 AND users.is_superuser = 0 AND id IN (
      SELECT object_permission_id FROM object_permission_users WHERE user_id = users.id
      UNION ALL
      SELECT object_permission_id FROM user_groups JOIN object_permission_groups USING (group_id)
        WHERE user_id = users.id)) AS grants`;

function actorFrom(row: UserRow): Actor {
  return {
    userId: row.user_id,
    username: row.username,
    isSuperuser: row.is_superuser === 1,
    mayWrite: true,
    grants: [...OWN, ...JSON.parse(row.grants) as Grant[]],
  };
}
