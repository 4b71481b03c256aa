/** Ephemeral keys for the key exchange of TLS 1.3. */

import { createDiffieHellman, randomBytes } from "node:crypto";
import { concat } from "./bytes.ts";
import { ProbeError } from "./types.ts";

/** An ephemeral key. */
export interface KeyShare {
  readonly group: number;
  readonly publicKey: Uint8Array;
  /** Returns the shared secret with the server's public key. */
  readonly derive: (peer: Uint8Array) => Promise<Uint8Array>;
}

type Pair = Omit<KeyShare, "group">;

/** Groups by their numbers (RFC 8446 §4.2.7, RFC 7919), in the order of preference. */
const GROUPS: ReadonlyMap<number, () => Promise<Pair>> = new Map([
  [0x001d, () => curvePair({ name: "X25519" }, 256)],
  [0x0017, () => curvePair({ name: "ECDH", namedCurve: "P-256" }, 256)],
  [0x0018, () => curvePair({ name: "ECDH", namedCurve: "P-384" }, 384)],
  [0x0019, () => curvePair({ name: "ECDH", namedCurve: "P-521" }, 528)],
  [0x001e, () => curvePair({ name: "X448" }, 448)],
  [0x11ec, hybridPair],
  [0x0100, () => primePair(2_048, 560_316n)],
  [0x0101, () => primePair(3_072, 2_625_351n)],
  [0x0102, () => primePair(4_096, 5_736_041n)],
  [0x0103, () => primePair(6_144, 15_705_020n)],
  [0x0104, () => primePair(8_192, 10_965_728n)],
]);

/**
 * Groups that TLS 1.3 does not have: secp256k1, P-224, P-192, and brainpool. In earlier versions, the server
 * presents its certificates before the client needs a key.
 */
const EARLIER_GROUPS = [0x0016, 0x001a, 0x001b, 0x001c, 0x0015, 0x0013];

/** The groups that are offered. */
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
      const key = await crypto.subtle.importKey("raw", peer as BufferSource, algorithm, false, []);
      const parameters = { name: algorithm.name, public: key };
      return new Uint8Array(await crypto.subtle.deriveBits(parameters, pair.privateKey, bits));
    },
  };
}

/** Length of a private key in bytes. RFC 7919 §5.2 recommends at most 400 bits; longer ones take long. */
const EXPONENT_BYTES = 50;

/** Returns a key of a finite-field group: ffdhe2048 to ffdhe8192. */
function primePair(bits: number, addend: bigint): Promise<Pair> {
  const prime = Uint8Array.fromHex(safePrime(bits, addend).toString(16));
  const group = createDiffieHellman(prime, Uint8Array.of(2));
  group.setPrivateKey(randomBytes(EXPONENT_BYTES));
  const padded = (bytes: Uint8Array): Uint8Array => concat(new Uint8Array(bits / 8 - bytes.length), bytes);
  return Promise.resolve({
    publicKey: padded(group.generateKeys()),
    derive: (peer) => Promise.resolve(padded(group.computeSecret(peer))),
  });
}

/** Returns 2^b - 2^(b-64) + (floor(2^(b-130) e) + addend) 2^64 - 1, which defines these groups (RFC 7919 §A). */
function safePrime(bits: number, addend: bigint): bigint {
  const size = BigInt(bits);
  const extra = 64n;
  let term = 1n << (size - 130n + extra);
  let e = 0n;
  for (let index = 1n; term > 0n; index++) {
    e += term;
    term /= index;
  }
  return (1n << size) - (1n << (size - 64n)) + (((e >> extra) + addend) << 64n) - 1n;
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
