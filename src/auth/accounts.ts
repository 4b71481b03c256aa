/**
 * Loads the account of a token or a user id with all its permissions, in one statement, and caches it for
 * `ACTOR_CACHE_MS`. So a revocation on another node takes effect here within that time. Changes in this
 * process take effect at once, because their operations call {@link clearActorCache} after the commit.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Clock, Millis } from "../base/clock.ts";
import { type Database, perDatabase } from "../db/mod.ts";
import type { Actor, Grant } from "./context.ts";
import { dropOldest } from "../base/memoize.ts";

/** Time for which an actor is cached: a revocation on another node takes effect within five seconds. */
export const ACTOR_CACHE_MS = 4_000;
export const ACTOR_CACHE_ENTRIES = 1_000;

/** A user's stored state, and the token with which it was found. */
export interface Account {
  readonly actor: Actor;
  readonly isActive: boolean;
  readonly token?: TokenState;
}

/** The properties of a token that decide whether it is accepted. */
export interface TokenState {
  readonly id: number;
  readonly enabled: boolean;
  readonly expires: Millis | null;
  /** Addresses and networks; if empty, the token is accepted from any address. */
  readonly allowedIps: readonly string[];
  readonly lastUsed: Millis | null;
}

/**
 * Permissions of every signed-in user: to view their own account, and to manage their own tokens, calendars,
 * subscriptions and saved views. A read-only token cannot change the latter, because it cannot write at all.
 */
const OWN: readonly Grant[] = [
  { objectTypes: ["users.user"], actions: ["view"], constraints: { id: "$user" } },
  {
    objectTypes: ["users.token", "certmgr.calendarfeed", "certmgr.subscription", "certmgr.savedview"],
    actions: ["view", "add", "change", "delete"],
    constraints: { user: "$user" },
  },
];

/** Returns the permission to view saved views that others share, for lists that the user may view. */
function sharedViews(grants: readonly Grant[]): Grant[] {
  const types = new Set(
    grants.filter(({ actions }) => actions.includes("view")).flatMap(({ objectTypes }) => objectTypes),
  );
  if (types.size === 0) return [];
  const constraints = { shared: true, object_type: [...types] };
  return [{ objectTypes: ["certmgr.savedview"], actions: ["view"], constraints }];
}

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

/** Returns the account of a user by its id, or by a query for it. */
export async function accountOfUser(database: Database, userId: number | SQL): Promise<Account | undefined> {
  const [row] = await database.all<UserRow>(sql`SELECT ${USER} FROM users WHERE users.id = ${userId}`);
  return row === undefined ? undefined : { actor: actorFrom(row), isActive: row.is_active === 1 };
}

interface UserRow {
  user_id: number;
  username: string;
  is_active: number;
  is_superuser: number;
  has_second_factor: number;
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

/**
 * Columns of a user, and the enabled permissions that were assigned directly or through groups; none for
 * superusers.
 */
const USER: SQL =
  sql`users.id AS user_id, users.username, users.is_active, users.is_superuser, users.has_second_factor,
  (SELECT json_group_array(json_object('objectTypes', json(object_types), 'actions', json(actions),
      'constraints', json(constraints)))
    FROM object_permissions WHERE enabled = 1 AND users.is_superuser = 0 AND id IN (
      SELECT object_permission_id FROM object_permission_users WHERE user_id = users.id
      UNION ALL
      SELECT object_permission_id FROM user_groups JOIN object_permission_groups USING (group_id)
        WHERE user_id = users.id)) AS grants`;

function actorFrom(row: UserRow): Actor {
  const given: Grant[] = JSON.parse(row.grants);
  return {
    userId: row.user_id,
    username: row.username,
    isSuperuser: row.is_superuser === 1,
    hasSecondFactor: row.has_second_factor === 1,
    mayWrite: true,
    grants: [...OWN, ...sharedViews(given), ...given],
  };
}

export interface AccountSource {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * Verifies access tokens of OpenID Connect providers. If absent, only the service's own tokens are
   * accepted.
   */
  readonly verifyAccessToken?: VerifyAccessToken;
}

/** A genuine and currently valid access token of a provider. */
export interface AccessToken {
  readonly issuer: string;
  /** Id of its user at the provider. */
  readonly subject: string;
  readonly expires: Millis;
}

/** Returns the verified claims of an access token; undefined if it is not acceptable. Errors: unavailable. */
export type VerifyAccessToken = (token: string) => Promise<AccessToken | undefined>;

interface CachedAccount {
  readonly account: Account;
  readonly loadedAt: Millis;
  /** The version of the database before the account was loaded, if other workers write as well. */
  readonly version: number | undefined;
}

const cacheOf = perDatabase(() => ({ entries: new Map<string, CachedAccount>() }));

/** Removes all accounts from the cache, because users, groups, tokens or permissions have changed. */
export function clearActorCache(database: Database): void {
  // A new map, so that a load that began before the change cannot store its result.
  cacheOf(database).entries = new Map();
}

/** Returns the account for a cache key, from the cache or from `load`. Missing accounts are not cached. */
export async function cachedAccount(
  { database, clock }: AccountSource,
  name: string,
  load: () => Promise<Account | undefined>,
): Promise<Account | undefined> {
  const cache = cacheOf(database).entries;
  const now = clock.now();
  const known = cache.get(name);
  const version = database.outsideVersion;
  const isFresh = known !== undefined && now >= known.loadedAt && now - known.loadedAt < ACTOR_CACHE_MS;
  if (isFresh && known.version === version) return known.account;
  const account = await load();
  cache.delete(name);
  if (account === undefined) return undefined;
  cache.set(name, { account, loadedAt: now, version });
  dropOldest(cache, ACTOR_CACHE_ENTRIES);
  return account;
}
