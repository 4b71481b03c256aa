/** What messages to webhooks are signed with (Standard Webhooks, "Signature scheme"). */

/** What begins a secret whose key is in base64. */
export const SECRET_PREFIX = "whsec_";

/** The key that stands in base64 after the prefix; undefined for any other text. */
export function encodedKey(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  try {
    return Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length), { lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}
