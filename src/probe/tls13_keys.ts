/** Key exchange of TLS 1.3, and the keys with which a server sends its certificates (RFC 8446 §7.1). */

import { createDecipheriv, createHash, createHmac } from "node:crypto";
import { ascii, concat, number, vector } from "./bytes.ts";
import { ProbeError } from "./types.ts";

export interface KeyShare {
  readonly group: number;
  readonly publicKey: Uint8Array;
  /** Returns the shared secret with the server's public key. */
  readonly derive: (peer: Uint8Array) => Promise<Uint8Array>;
}

type Pair = Omit<KeyShare, "group">;

/** Groups by their numbers (RFC 8446 §4.2.7), in the order of preference. */
const GROUPS: ReadonlyMap<number, () => Promise<Pair>> = new Map([
  [0x001d, () => curvePair({ name: "X25519" }, 256)],
  [0x0017, () => curvePair({ name: "ECDH", namedCurve: "P-256" }, 256)],
  [0x0018, () => curvePair({ name: "ECDH", namedCurve: "P-384" }, 384)],
  [0x0019, () => curvePair({ name: "ECDH", namedCurve: "P-521" }, 528)],
  [0x001e, () => curvePair({ name: "X448" }, 448)],
  [0x11ec, hybridPair],
]);

/**
 * Groups that TLS 1.3 does not have: secp256k1, P-224, P-192, and brainpool. In earlier versions, the server
 * presents its certificates before the client needs a key.
 */
const EARLIER_GROUPS = [0x0016, 0x001a, 0x001b, 0x001c, 0x0015, 0x0013];

export const OFFERED_GROUPS: readonly number[] = [...GROUPS.keys(), ...EARLIER_GROUPS];
/** Groups for which a key is sent in the first message; most servers accept one of them. */
export const FIRST_GROUPS: readonly number[] = [0x001d, 0x0017];

/** Generates a key of a group. Throws a {@link ProbeError} if the group was not offered. */
export async function generateShare(group: number): Promise<KeyShare> {
  const generate = GROUPS.get(group);
  if (generate === undefined) {
    throw new ProbeError("The server asks for a key exchange that was not offered.");
  }
  const { publicKey, derive } = await generate();
  return {
    group,
    publicKey,
    derive: async (peer): Promise<Uint8Array> => {
      try {
        return await derive(peer);
      } catch {
        throw new ProbeError("The server sent an invalid key.");
      }
    },
  };
}

async function curvePair(algorithm: EcKeyGenParams | { name: string }, bits: number): Promise<Pair> {
  const pair = await crypto.subtle.generateKey(algorithm, false, ["deriveBits"]) as CryptoKeyPair;
  return {
    publicKey: new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey)),
    derive: async (peer): Promise<Uint8Array> => {
      const key = await crypto.subtle.importKey("raw", new Uint8Array(peer), algorithm, false, []);
      const parameters = { name: algorithm.name, public: key };
      return new Uint8Array(await crypto.subtle.deriveBits(parameters, pair.privateKey, bits));
    },
  };
}

const KEM = { name: "ML-KEM-768" } as const;
const KEM_CIPHERTEXT_BYTES = 1_088;

/** The parts of WebCrypto's API for key encapsulation that TypeScript does not know yet. */
interface Encapsulation {
  decapsulateBits(algorithm: typeof KEM, key: CryptoKey, ciphertext: BufferSource): Promise<ArrayBuffer>;
}

/** Returns a key of X25519MLKEM768: the key and the secret of ML-KEM come first. */
async function hybridPair(): Promise<Pair> {
  const curve = await curvePair({ name: "X25519" }, 256);
  const usages = ["encapsulateBits", "decapsulateBits"] as unknown as KeyUsage[];
  const kem = await crypto.subtle.generateKey(KEM, false, usages) as CryptoKeyPair;
  const raw = await crypto.subtle.exportKey("raw-public" as "raw", kem.publicKey);
  return {
    publicKey: concat(new Uint8Array(raw), curve.publicKey),
    derive: async (peer): Promise<Uint8Array> => {
      const subtle = crypto.subtle as unknown as Encapsulation;
      const ciphertext = peer.slice(0, KEM_CIPHERTEXT_BYTES);
      const secret = await subtle.decapsulateBits(KEM, kem.privateKey, ciphertext);
      return concat(new Uint8Array(secret), await curve.derive(peer.subarray(KEM_CIPHERTEXT_BYTES)));
    },
  };
}

interface Suite {
  readonly hash: "sha256" | "sha384";
  readonly cipher: "aes-128-gcm" | "aes-256-gcm" | "chacha20-poly1305";
  readonly keyBytes: number;
}

const SUITES: Readonly<Record<number, Suite>> = {
  0x1301: { hash: "sha256", cipher: "aes-128-gcm", keyBytes: 16 },
  0x1302: { hash: "sha384", cipher: "aes-256-gcm", keyBytes: 32 },
  0x1303: { hash: "sha256", cipher: "chacha20-poly1305", keyBytes: 32 },
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Decrypts the records of a server's handshake in their order. */
export type Decrypt = (header: Uint8Array, payload: Uint8Array) => { type: number; content: Uint8Array };

/** Returns the hash and cipher of a suite. Throws a {@link ProbeError} if the suite was not offered. */
export function suiteOf(number_: number): Suite {
  const suite = SUITES[number_];
  if (suite === undefined) throw new ProbeError("The server chose a cipher suite that was not offered.");
  return suite;
}

export function digest(hash: Suite["hash"], ...messages: readonly Uint8Array[]): Uint8Array {
  const running = createHash(hash);
  for (const message of messages) running.update(message);
  return new Uint8Array(running.digest());
}

/** Derives the server's handshake key from the shared secret and the hash of both hellos. */
export function handshakeDecryption(
  { cipher, hash, keyBytes }: Suite,
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
    return decrypted(open({ cipher, key, nonce, header, payload }));
  };
}

function open(
  { cipher, key, nonce, header, payload }: {
    cipher: Suite["cipher"];
    key: Uint8Array;
    nonce: Uint8Array;
    header: Uint8Array;
    payload: Uint8Array;
  },
): Uint8Array {
  const encrypted = payload.subarray(0, -TAG_BYTES);
  try {
    const decipher = createDecipheriv(cipher as "aes-128-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(header, { plaintextLength: encrypted.length });
    decipher.setAuthTag(payload.subarray(-TAG_BYTES));
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
