/**
 * The session's token in forms, against cross-site request forgery. Each response has it with a new mask, so that no
 * two pages contain the same text and the length of a compressed page does not reveal the token (BREACH).
 */

import { timingSafeEqual } from "node:crypto";

const encoder = new TextEncoder();

/** Returns a token for the forms of one response: a random mask, and the token combined with it by XOR, as base64url. */
export function maskToken(token: string): string {
  const bytes = encoder.encode(token);
  const mask = crypto.getRandomValues(new Uint8Array(bytes.length));
  return new Uint8Array([...mask, ...combined(mask, bytes)]).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** Returns whether a form's text is this token, with any mask. */
export function isMasked(given: string, token: string): boolean {
  const own = encoder.encode(token);
  const bytes = decoded(given);
  if (bytes === undefined || bytes.length !== 2 * own.length) return false;
  return timingSafeEqual(combined(bytes.subarray(0, own.length), bytes.subarray(own.length)), own);
}

function combined(one: Uint8Array, other: Uint8Array): Uint8Array {
  return one.map((byte, index) => byte ^ (other[index] ?? 0));
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}
