/** Password hashes (scrypt, compared in constant time). */

import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { AppError } from "../base/errors.ts";
import { MAX_PASSWORD_CHARS } from "../base/limits.ts";

/** Maximum number of concurrent hashes; each takes 32 MiB and about 200 ms of a core. */
export const MAX_CONCURRENT_HASHES = 2;
/** Maximum number of hashes that wait for a slot: about three seconds of work. More are refused. */
export const MAX_WAITING_HASHES = 32;

/**
 * Cost parameters of new hashes: N = 2^15, r = 8, p = 3 (32 MiB). According to OWASP's Password Storage Cheat
 * Sheet, this is as strong as N = 2^17, p = 1 with a quarter of the memory, so that it also fits into an edge
 * isolate.
 */
const COST = { logN: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Maximum memory for verifying a stored hash (N · r · 128 bytes). */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;

const ENCODED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Verified if there is no hash, so that an unknown account takes as long as a known one. */
const DUMMY_HASH = encode(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/**
 * Hashes a password with a new salt: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. Errors: unavailable (too many
 * hashes are waiting).
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return encode(COST, salt, await derive(password, { cost: COST, salt, length: HASH_BYTES }));
}

/**
 * Returns whether the password matches the hash. Without a hash (an unknown account, or one without a
 * password), returns false after the same time. Errors: unavailable (too many hashes are waiting).
 */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  // A character has at most two UTF-16 units. Longer input is not normalized, which could take minutes.
  const short = password.length <= 2 * MAX_PASSWORD_CHARS && [...password].length <= MAX_PASSWORD_CHARS;
  const comparable = encoded !== null && short;
  const { cost, salt, hash } = decode(comparable ? encoded : DUMMY_HASH);
  const same = timingSafeEqual(
    await derive(short ? password : "", { cost, salt, length: hash.length }),
    hash,
  );
  return comparable && same;
}

function encode({ logN, r, p }: typeof COST, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$scrypt$ln=${logN},r=${r},p=${p}$${saltText}$${hashText}`;
}

function decode(encoded: string): { cost: typeof COST; salt: Buffer; hash: Buffer } {
  const match = ENCODED.exec(encoded);
  if (match === null) throw new Error("Unknown format of a password hash");
  const [logN = 0, r = 0, p = 0] = match.slice(1, 4).map(Number);
  const salt = Buffer.from(match[4] ?? "", "base64");
  const hash = Buffer.from(match[5] ?? "", "base64");
  return { cost: { logN, r, p }, salt, hash };
}

/** Derives the hash. Normalizes to NFC, so that equivalent spellings have the same hash (RFC 8265 §4.2). */
function derive(
  password: string,
  { cost, salt, length }: { cost: typeof COST; salt: Buffer; length: number },
): Promise<Buffer> {
  const options = { N: 2 ** cost.logN, r: cost.r, p: cost.p, maxmem: MAX_MEMORY_BYTES };
  return withHashSlot(() =>
    new Promise((resolve, reject) => {
      scrypt(password.normalize("NFC"), salt, length, options, (error, hash) => {
        if (error === null) resolve(hash);
        else reject(error);
      });
    })
  );
}

let slots = MAX_CONCURRENT_HASHES;
let running = 0;
const waiting: (() => void)[] = [];

/** Limits this process to its share of the slots, but at least one, if `workers` processes serve together. */
export function divideHashSlots(workers: number): void {
  slots = Math.max(1, Math.floor(MAX_CONCURRENT_HASHES / workers));
}

/** Runs `work` when a slot is free. Errors: unavailable (too many calls are waiting). */
export async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < slots) running++;
  else await queue();
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The slot is passed on directly, so that calls are served in order.
    if (next === undefined) running--;
    else next();
  }
}

function queue(): Promise<void> {
  if (waiting.length >= MAX_WAITING_HASHES) {
    throw new AppError("unavailable", "Too many sign-ins at once. Try again in a moment.", {
      headers: { "Retry-After": "3" },
    });
  }
  return new Promise((resolve) => waiting.push(resolve));
}
