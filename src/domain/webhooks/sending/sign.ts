/** Signatures by which a receiver knows who has sent a message: two kinds, of the same secret. */

import { createHmac } from "node:crypto";
import type { Millis } from "../../../base/clock.ts";
import { encodedKey } from "../../../base/webhook_secret.ts";

/**
 * Headers of a message: those of Standard Webhooks (HMAC-SHA256 of id, time in seconds and body), and NetBox's
 * `X-Hook-Signature` (HMAC-SHA512 of the body, keyed with the text of the secret). Without a secret there are none to
 * verify.
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

/** The key of Standard Webhooks; a secret that has none in base64 is a text like any other, whose bytes are the key. */
function keyOf(secret: string): Uint8Array {
  return encodedKey(secret) ?? new TextEncoder().encode(secret);
}
