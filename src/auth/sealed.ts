/** Sealed values: small data that a browser keeps between two requests and cannot change. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { eq, lte } from "drizzle-orm";
import { randomText } from "../base/bytes.ts";
import type { Millis } from "../base/clock.ts";
import {
  type Database,
  deleteFrom,
  insertInto,
  perDatabase,
  type Reader,
  select,
  type Transaction,
} from "../db/mod.ts";
import { service_keys, used_links } from "../db/schema/mod.ts";

/** Letters and digits: 256 random bits. */
const KEY_CHARS = 43;

const keysOf = perDatabase(() => new Map<string, string>());

/**
 * Returns a key of the service by its name. It is created at its first use, and is the same on every node.
 */
export async function serviceKey(database: Database, name: string): Promise<string> {
  const known = keysOf(database);
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const key = await storedKey(database, name) ?? await database.write(async (tx) => {
    const value = randomText(KEY_CHARS);
    await tx.run(insertInto(service_keys).values({ name, value }).onConflictDoNothing());
    return await storedKey(tx, name) ?? value;
  });
  known.set(name, key);
  return key;
}

/** Reads a key, which also works while the database cannot be written. */
async function storedKey(reader: Reader, name: string): Promise<string | undefined> {
  const { value } = service_keys;
  const [row] = await reader.all(select({ value }).from(service_keys).where(eq(service_keys.name, name)));
  return row?.value;
}

/** Returns the signature of a text: HMAC-SHA256 in base64url. */
export function signText(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

/** Returns whether a signature is that of a text. Compares in constant time. */
export function isSigned(text: string, { signature, key }: { signature: string; key: string }): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(signText(text, key))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Seals a value until `expires`. `name` separates kinds of values: a value of one kind is not accepted as one
 * of another.
 */
export async function seal(
  database: Database,
  { name, value, expires }: { name: string; value: unknown; expires: Millis },
): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify({ expires, value })).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
  return `${text}.${signText(text, await serviceKey(database, name))}`;
}

/** Opens a sealed value; undefined if this service did not seal it or it has expired. */
export async function unseal(
  database: Database,
  { name, sealed, now }: { name: string; sealed: string; now: Millis },
): Promise<unknown> {
  const match = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(sealed);
  if (match === null) return undefined;
  const [, text = "", signature = ""] = match;
  if (!isSigned(text, { signature, key: await serviceKey(database, name) })) return undefined;
  const { expires, value } = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })),
  );
  return expires > now ? value : undefined;
}

/**
 * Records that a sealed value or link was used. Returns false if it was used before. Deletes records of
 * expired ones.
 */
export async function useOnce(
  tx: Transaction,
  { hash, expires, now }: { hash: string; expires: Millis; now: Millis },
): Promise<boolean> {
  await tx.run(deleteFrom(used_links).where(lte(used_links.expires, now)));
  return await tx.run(insertInto(used_links).values({ hash, expires }).onConflictDoNothing()) > 0;
}
