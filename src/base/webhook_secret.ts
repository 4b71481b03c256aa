/** Secrets for signing webhook messages (Standard Webhooks, "Signature scheme"). */

/** Prefix of a secret whose key is base64-encoded. */
export const SECRET_PREFIX = "whsec_";

/** Returns the base64-decoded key after the prefix; undefined for any other text. */
export function encodedKey(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  try {
    return Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length), { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}
