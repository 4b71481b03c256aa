/** Authenticates requests by their token. */

import { inNetworks } from "../base/addresses.ts";
import { sha256Hex } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { accountOfKey, accountOfUser } from "./accounts.ts";
import { type AccountSource, cachedAccount } from "./actor_cache.ts";
import type { Actor } from "./context.ts";
import { recordTokenUse } from "./last_used.ts";

/** Characters of a token's key: letters and digits, 238 bits of entropy. */
export const KEY_CHARS = 40;
const KEY = new RegExp(`^[A-Za-z0-9]{${KEY_CHARS}}$`);

/** Whether a text has the form of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns the form in which a key is stored. A plain hash is enough, because a random key cannot be guessed. */
export function hashKey(key: string): string {
  return sha256Hex(key);
}

/** The parts of a request that identify its sender. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | null;
  /** Client address; null when unknown. */
  readonly address: string | null;
}

/**
 * Returns the actor for `Authorization: Token <key>` or, equivalently, `Bearer <key>`. At most one statement, none
 * while the account is cached.
 * Errors: unauthenticated (missing or invalid credentials), forbidden (the token does not allow the client address).
 */
export async function authenticate(source: AccountSource, credentials: Credentials): Promise<Actor> {
  const key = readKey(credentials.authorization);
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

/** Returns the actor for a user who has already been identified; undefined if missing or inactive. */
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
