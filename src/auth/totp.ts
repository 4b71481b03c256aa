/**
 * Codes of authenticator apps (TOTP, RFC 6238), with the parameters that all apps support: SHA-1, six digits,
 * 30 seconds. Implemented here, because a library for these few lines adds 1.7 MB.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Millis } from "../base/clock.ts";

const TOTP_DIGITS = 6;
const STEP_MS: Millis = 30_000;
/** Number of steps by which the clocks of phone and service may differ, as RFC 6238 §5.2 recommends. */
const SKEW_STEPS = 1;
/** RFC 4226 §4 recommends 160 bits. */
const SECRET_BYTES = 20;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a new secret in Base32 (RFC 4648). */
export function newTotpSecret(): string {
  let bits = "";
  for (const byte of randomBytes(SECRET_BYTES)) bits += byte.toString(2).padStart(8, "0");
  return bits.replace(/.{5}/g, (five) => BASE32.charAt(Number.parseInt(five, 2)));
}

/** Returns the code of a time step (RFC 4226 §5.3). */
export function totpCode(secret: string, step: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const hash = createHmac("sha1", bytesOf(secret)).update(new Uint8Array(counter.buffer)).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 10 ** TOTP_DIGITS).padStart(TOTP_DIGITS, "0");
}

/**
 * Returns the time step of a code, which may be one earlier or later than now; undefined if the code is
 * wrong. A code of the step `after` or an earlier one is refused, because it was used.
 */
export function matchingStep(
  secret: string,
  { code, now, after }: { code: string; now: Millis; after: number },
): number | undefined {
  if (!new RegExp(`^\\d{${TOTP_DIGITS}}$`).test(code)) return undefined;
  const given = new TextEncoder().encode(code);
  const current = Math.floor(now / STEP_MS);
  let found: number | undefined;
  for (let step = current - SKEW_STEPS; step <= current + SKEW_STEPS; step++) {
    const same = timingSafeEqual(new TextEncoder().encode(totpCode(secret, step)), given);
    if (same && step > after) found = step;
  }
  return found;
}

/** Returns the URI that an authenticator app reads from a QR code. */
export function totpUri(
  { secret, account, issuer }: { secret: string; account: string; issuer: string },
): string {
  const query = new URLSearchParams({ secret, issuer });
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${query}`;
}

function bytesOf(secret: string): Uint8Array {
  let bits = "";
  for (const letter of secret) bits += BASE32.indexOf(letter).toString(2).padStart(5, "0");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
