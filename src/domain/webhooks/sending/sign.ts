/** Signatures with which a receiver verifies the sender of a message: two kinds, with the same secret. */

import { createHmac } from "node:crypto";
import type { Millis } from "../../../base/clock.ts";
import { encodedKey } from "../../../base/webhook_secret.ts";

/**
 * Returns the headers of a message: those of Standard Webhooks (HMAC-SHA256 of id, time in seconds and body), and
 * NetBox's `X-Hook-Signature` (HMAC-SHA512 of the body, keyed with the text of the secret). Without a secret there are
 * no signatures.
 */
export function signatureHeaders(
  { secret, id, body, now }: { secret: string; id: string; body: string; now: Millis },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === "") return headers;
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    ...headers,
    "webhook-signature": `v1,${signature}`,
    "x-hook-signature": createHmac("sha512", secret).update(body).digest("hex"),
  };
}

/**
 * Returns the key for Standard Webhooks: decoded from `whsec_` and base64, or the bytes of any other secret.
 */
function keyOf(secret: string): Uint8Array {
  return encodedKey(secret) ?? new TextEncoder().encode(secret);
}
