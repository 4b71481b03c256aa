/** From request headers to an actor. */

import { inNetworks } from "../base/addresses.ts";
import { sha256Hex } from "../base/bytes.ts";
import { AppError } from "../base/errors.ts";
import { accountOfKey, accountOfUser } from "./accounts.ts";
import { type AccountSource, cachedAccount } from "./actor_cache.ts";
import type { Actor } from "./context.ts";
import { recordTokenUse } from "./last_used.ts";

/** Characters of a token's key: letters and digits, 238 bits of chance. */
export const KEY_CHARS = 40;
const KEY = new RegExp(`^[A-Za-z0-9]{${KEY_CHARS}}$`);

/** Whether a text has the form of a key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** What a key is stored and found as. A plain hash will do, for a random key cannot be guessed. */
export function hashKey(key: string): string {
  return sha256Hex(key);
}

/** What a request says of who makes it. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | null;
  /** Address of the caller; null when it is not known. */
  readonly address: string | null;
}

/**
 * The actor behind `Authorization: Token <key>`; `Bearer <key>` means the same. At most one statement, none while
 * the account is in memory.
 * Errors: unauthenticated (no or bad credentials), forbidden (an address that the token is not allowed from).
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

/** The actor with a user's rights, for doors that know the user already; undefined when absent or inactive. */
export async function actorOf(source: AccountSource, userId: number): Promise<Actor | undefined> {
  const account = await cachedAccount(source, `user ${userId}`, () => accountOfUser(source.database, userId));
  return account?.isActive ? account.actor : undefined;
}

function readKey(authorization: string | null): string {
  const match = /^(?:token|bearer)(?: +(.*))?$/i.exec(authorization?.trim() ?? "");
  if (match === null) throw unauthenticated("Authentication credentials were not provided.");
  return match[1] ?? "";
}

/** A refusal that says how to identify oneself (RFC 9110 §15.5.2). */
export function unauthenticated(detail: string): AppError {
  return new AppError("unauthenticated", detail, { headers: { "WWW-Authenticate": "Token" } });
}
