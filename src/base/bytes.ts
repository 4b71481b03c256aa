/** Hashes, random text, and limits of bytes. */

import { createHash } from "node:crypto";

/** Returns the SHA-256 as lower-case hex (`node:crypto`: 25 times as fast as `subtle.digest` for small inputs). */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Returns the first rows that together have at most `limit` bytes, but at least one. */
export function firstWithin<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  limit: number,
): Row[] {
  let total = 0;
  return rows.filter(({ bytes }, index) => (total += bytes) <= limit || index === 0);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Returns random letters and digits with equal probability (rejection sampling). */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
