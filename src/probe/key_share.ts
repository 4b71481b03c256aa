/** Ephemeral keys for the key exchange of TLS 1.3. */

import { ProbeError } from "./types.ts";

/** Groups by their numbers (RFC 8446 §4.2.7). */
const GROUPS: Readonly<Record<number, { algorithm: EcKeyGenParams | { name: string }; bits: number }>> = {
  0x001d: { algorithm: { name: "X25519" }, bits: 256 },
  0x0017: { algorithm: { name: "ECDH", namedCurve: "P-256" }, bits: 256 },
  0x0018: { algorithm: { name: "ECDH", namedCurve: "P-384" }, bits: 384 },
  0x0019: { algorithm: { name: "ECDH", namedCurve: "P-521" }, bits: 528 },
};

/** The groups that are offered. */
export const OFFERED_GROUPS: readonly number[] = [0x001d, 0x0017, 0x0018, 0x0019];
/** Groups for which a key is sent in the first message; most servers accept one of them. */
export const FIRST_GROUPS: readonly number[] = [0x001d, 0x0017];

/** An ephemeral key. */
export interface KeyShare {
  readonly group: number;
  readonly publicKey: Uint8Array;
  /** Returns the shared secret with the server's public key. */
  readonly derive: (peer: Uint8Array) => Promise<Uint8Array>;
}

/** Generates a key of a group. Throws a {@link ProbeError} if the group was not offered. */
export async function generateShare(group: number): Promise<KeyShare> {
  const known = GROUPS[group];
  if (known === undefined) throw new ProbeError("The server asks for a key exchange that was not offered.");
  const { algorithm, bits } = known;
  const pair = await crypto.subtle.generateKey(algorithm, false, ["deriveBits"]) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return {
    group,
    publicKey,
    derive: async (peer): Promise<Uint8Array> => {
      try {
        const key = await crypto.subtle.importKey("raw", peer as BufferSource, algorithm, false, []);
        const secret = await crypto.subtle.deriveBits(
          { name: algorithm.name, public: key },
          pair.privateKey,
          bits,
        );
        return new Uint8Array(secret);
      } catch {
        throw new ProbeError("The server sent an invalid key.");
      }
    },
  };
}
