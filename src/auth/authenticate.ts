/** Authenticates requests by their token, and records when a token was last used. */

import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import { inNetworks } from "../base/addresses.ts";
import { sha256Hex } from "../base/bytes.ts";
import type { Millis } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { type Database, perDatabase, update } from "../db/mod.ts";
import { tokens } from "../db/schema/mod.ts";
import {
  accountOfKey,
  accountOfUser,
  type AccountSource,
  ACTOR_CACHE_ENTRIES,
  cachedAccount,
  type TokenState,
} from "./accounts.ts";
import { isKey } from "../base/credential_rules.ts";
import type { Actor } from "./context.ts";

/** Interval at which `last_used` of a token is written. */
const LAST_USED_INTERVAL_MS = 60_000;

/** The compact form of RFC 7515 §7.1. Keys of the service contain no dots. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const MAX_JWT_CHARS = 16_384;

/**
 * Returns the hash under which a key is stored. A plain hash is sufficient, because a random key cannot be
 * guessed.
 */
export function hashKey(key: string): string {
  return sha256Hex(key);
}

/** The parts of a request that identify its sender. */
export interface Credentials {
  readonly authorization: string | null;
  /** Address of the client; null if unknown. */
  readonly address: string | null;
}

/**
 * Returns the actor for `Authorization: Token <key>` or, equivalently, `Bearer <key>`. An access token of a
 * provider is accepted instead of a key. At most one statement, none while the account is cached. Errors:
 * unauthenticated (missing or invalid credentials), forbidden (the token does not allow the client's
 * address), unavailable (a provider's keys cannot be read).
 */
export async function authenticate(source: AccountSource, credentials: Credentials): Promise<Actor> {
  const key = readKey(credentials.authorization);
  if (JWT.test(key)) return await authenticateByProvider(source, key);
  const hash = hashKey(key);
  const account = isKey(key)
    ? await cachedAccount(source, `token ${hash}`, () => accountOfKey(source.database, hash))
    : undefined;
  const token = account?.token;
  if (account === undefined || token === undefined || !token.enabled) throw unauthenticated("Invalid token");
  if (token.expires !== null && token.expires <= source.clock.now()) throw unauthenticated("Token expired");
  if (!account.isActive) throw unauthenticated("User inactive");
  if (token.allowedIps.length > 0 && !inNetworks(credentials.address, token.allowedIps)) {
    throw new AppError("forbidden", "Source IP is not permitted to authenticate using this token.");
  }
  recordTokenUse(source, token);
  return account.actor;
}

/**
 * Returns the actor for an access token of a provider. The user must have signed in here with the provider
 * before. Sends no request to the provider and, while the account is cached, no statement to the database.
 */
async function authenticateByProvider(source: AccountSource, token: string): Promise<Actor> {
  const known = token.length > MAX_JWT_CHARS ? undefined : await source.verifyAccessToken?.(token);
  if (known === undefined) throw unauthenticated("Invalid token");
  const { issuer, subject, expires } = known;
  const account = await cachedAccount(
    source,
    `identity ${JSON.stringify([issuer, subject])}`,
    () =>
      accountOfUser(
        source.database,
        sql`(SELECT user_id FROM user_identities WHERE issuer = ${issuer} AND subject = ${subject})`,
      ),
  );
  if (account === undefined) throw unauthenticated("No user has signed in here with this account.");
  if (!account.isActive) throw unauthenticated("User inactive");
  // A token that it creates must not outlive it.
  return { ...account.actor, tokenLimits: { expires, allowedIps: [] } };
}

/** Returns the actor for a user who was already identified; undefined if missing or inactive. */
export async function actorOf(source: AccountSource, userId: number): Promise<Actor | undefined> {
  const account = await cachedAccount(source, `user ${userId}`, () => accountOfUser(source.database, userId));
  return account?.isActive ? account.actor : undefined;
}

function readKey(authorization: string | null): string {
  const match = /^(?:token|bearer)(?: +(.*))?$/i.exec(authorization?.trim() ?? "");
  if (match === null) throw unauthenticated("Authentication credentials were not provided.");
  return match[1] ?? "";
}

/** Returns a 401 error with the challenge that RFC 9110 §15.5.2 requires. */
export function unauthenticated(detail: string): AppError {
  return new AppError("unauthenticated", detail, { headers: { "WWW-Authenticate": "Token" } });
}

const recorderOf = perDatabase(() => ({
  /** Time at which a write was last started, by token id. */
  recorded: new Map<number, Millis>(),
  pending: new Set<Promise<void>>(),
}));

/** Starts to write `last_used` if the stored value is old enough. Writes no change record. */
export function recordTokenUse({ database, clock }: AccountSource, token: TokenState): void {
  const { recorded, pending } = recorderOf(database);
  const now = clock.now();
  const due = now - LAST_USED_INTERVAL_MS;
  if (Math.max(recorded.get(token.id) ?? 0, token.lastUsed ?? 0) > due) return;
  if (recorded.size >= ACTOR_CACHE_ENTRIES) recorded.clear();
  recorded.set(token.id, now);
  const writing = writeUse(database, token.id, { now, due }).finally(() => pending.delete(writing));
  pending.add(writing);
}

/** Writes the time, unless another node has written one in the meantime. Ignores failures. */
async function writeUse(
  database: Database,
  id: number,
  { now, due }: { now: Millis; due: Millis },
): Promise<void> {
  try {
    await database.write((tx) =>
      tx.run(
        update(tokens).set({ last_used: now })
          .where(and(eq(tokens.id, id), or(isNull(tokens.last_used), lte(tokens.last_used, due)))),
      )
    );
  } catch {
    // The next use writes it. A request must not fail because of this.
  }
}

/** Waits for pending writes. Must be called before the database is closed. */
export async function flushTokenUses(database: Database): Promise<void> {
  await Promise.all(recorderOf(database).pending);
}
