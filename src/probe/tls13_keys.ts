/** The keys with which a server of TLS 1.3 sends its certificates (RFC 8446 §7.1). */

import { createDecipheriv, createHash, createHmac } from "node:crypto";
import { ascii, concat, number, vector } from "./bytes.ts";
import { ProbeError } from "./types.ts";

interface Suite {
  readonly hash: "sha256" | "sha384";
  readonly cipher: "aes-128-gcm" | "aes-256-gcm" | "chacha20-poly1305" | "aes-128-ccm";
  readonly keyBytes: number;
  /** Length of a record's tag; 16 by default. */
  readonly tagBytes?: number;
}

const SUITES: Readonly<Record<number, Suite>> = {
  0x1301: { hash: "sha256", cipher: "aes-128-gcm", keyBytes: 16 },
  0x1302: { hash: "sha384", cipher: "aes-256-gcm", keyBytes: 32 },
  0x1303: { hash: "sha256", cipher: "chacha20-poly1305", keyBytes: 32 },
  0x1304: { hash: "sha256", cipher: "aes-128-ccm", keyBytes: 16 },
  0x1305: { hash: "sha256", cipher: "aes-128-ccm", keyBytes: 16, tagBytes: 8 },
};

const NONCE_BYTES = 12;

/** Decrypts the records of a server's handshake in their order. */
export type Decrypt = (header: Uint8Array, payload: Uint8Array) => { type: number; content: Uint8Array };

/** Returns the hash and cipher of a suite. Throws a {@link ProbeError} if the suite was not offered. */
export function suiteOf(number_: number): Suite {
  const suite = SUITES[number_];
  if (suite === undefined) throw new ProbeError("The server chose a cipher suite that was not offered.");
  return suite;
}

/** Returns the hash of handshake messages. */
export function digest(hash: Suite["hash"], ...messages: readonly Uint8Array[]): Uint8Array {
  const running = createHash(hash);
  for (const message of messages) running.update(message);
  return new Uint8Array(running.digest());
}

/** Derives the server's handshake key from the shared secret and the hash of both hellos. */
export function handshakeDecryption(
  { cipher, hash, keyBytes, tagBytes = 16 }: Suite,
  { shared, transcript }: { shared: Uint8Array; transcript: Uint8Array },
): Decrypt {
  const zeros = new Uint8Array(hash === "sha256" ? 32 : 48);
  const early = hmac(hash, zeros, zeros);
  const derived = expand(hash, early, { label: "derived", context: digest(hash), length: zeros.length });
  const secret = expand(hash, hmac(hash, derived, shared), {
    label: "s hs traffic",
    context: transcript,
    length: zeros.length,
  });
  const none = new Uint8Array();
  const key = expand(hash, secret, { label: "key", context: none, length: keyBytes });
  const iv = expand(hash, secret, { label: "iv", context: none, length: NONCE_BYTES });
  let sequence = 0;
  return (header, payload) => {
    const nonce = iv.slice();
    number(sequence++, NONCE_BYTES).forEach((byte, index) => nonce[index] = (nonce[index] ?? 0) ^ byte);
    return decrypted(open({ cipher, key, nonce, header, payload, tagBytes }));
  };
}

function open(
  { cipher, key, nonce, header, payload, tagBytes }: {
    cipher: Suite["cipher"];
    key: Uint8Array;
    nonce: Uint8Array;
    header: Uint8Array;
    payload: Uint8Array;
    tagBytes: number;
  },
): Uint8Array {
  const encrypted = payload.subarray(0, -tagBytes);
  if (cipher === "aes-128-ccm") {
    // The platform has the mode without its tag (RFC 3610 §2.3). The signature of the handshake covers what it would prove.
    const decipher = createDecipheriv("aes-128-ctr", key, concat([2], nonce, [0, 0, 1]));
    return concat(new Uint8Array(decipher.update(encrypted)), new Uint8Array(decipher.final()));
  }
  try {
    const decipher = createDecipheriv(cipher as "aes-128-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(header, { plaintextLength: encrypted.length });
    decipher.setAuthTag(payload.subarray(-tagBytes));
    const content = decipher.update(encrypted);
    return concat(new Uint8Array(content), new Uint8Array(decipher.final()));
  } catch {
    throw new ProbeError("The server sent a record that cannot be decrypted.");
  }
}

/** Removes the padding. The last byte that is not zero is the type (RFC 8446 §5.4). */
function decrypted(inner: Uint8Array): { type: number; content: Uint8Array } {
  let end = inner.length - 1;
  while (end > 0 && inner[end] === 0) end--;
  return { type: inner[end] ?? 0, content: inner.subarray(0, end) };
}

function hmac(hash: Suite["hash"], key: Uint8Array, data: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac(hash, key).update(data).digest());
}

/** Computes HKDF-Expand-Label. Every length here fits into one block of the hash. */
function expand(
  hash: Suite["hash"],
  secret: Uint8Array,
  { label, context, length }: { label: string; context: Uint8Array; length: number },
): Uint8Array {
  const info = concat(number(length, 2), vector(ascii(`tls13 ${label}`), 1), vector(context, 1));
  return hmac(hash, secret, concat(info, [1])).subarray(0, length);
}
