/**
 * RSASSA-PKCS1-v1_5 (RFC 8017 §8.2): by WebCrypto, and by node:crypto for the hashes that WebCrypto lacks.
 */

import { createPublicKey, verify } from "node:crypto";
import { KEY_OID } from "../../algorithm_names.ts";
import { contentOf, DerReader, TAG } from "../../der.ts";
import { bitLengthOf } from "../../der_values.ts";
import type { PublicKeyInfo } from "../../types.ts";
import {
  badSignature,
  noneOrNull,
  type SignatureInput,
  type SignatureResult,
  subjectPublicKeyInfo,
  unsupported,
  type Verifier,
} from "./types.ts";

/** Maximum size of a modulus in bits; the runtime refuses larger ones. */
const MAX_MODULUS_BITS = 4_096;
/**
 * Maximum size of an exponent in bits; the runtime refuses larger ones. Nearly every key has 65537, which has
 * 17 bits.
 */
const MAX_EXPONENT_BITS = 33;
/** Microseconds of a check at {@link MAX_MODULUS_BITS} with the usual exponent; the cost is quadratic in the size. */
const LARGEST_COST = 700;
/** Multiplications for the exponent 65537. */
const USUAL_MULTIPLICATIONS = 19;
/** Microseconds that it takes to import a key and call the runtime. */
const BASE_COST = 50;
/** OID content of rsaEncryption, which is also used for keys with the OID of X.500 or of RSA-PSS. */
const RSA_ENCRYPTION = Uint8Array.fromHex("2a864886f70d010101");
const NULL = Uint8Array.of(5, 0);

/** Verifies PKCS #1 v1.5 with a hash that WebCrypto supports. */
export function rsaVerifier(hash: "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512"): Verifier {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash };
  return {
    ...PKCS1,
    async verify({ key, signature, data }): Promise<boolean> {
      const imported = await crypto.subtle.importKey("spki", plainRsaKey(key), algorithm, false, ["verify"]);
      const bytes = new Uint8Array(data);
      return await crypto.subtle.verify(algorithm, imported, new Uint8Array(signature), bytes);
    },
  };
}

/** Verifies PKCS #1 v1.5 with a hash that only node:crypto supports. */
export function nodeRsaVerifier(hash: "md5" | "sha224" | `sha3-${224 | 256 | 384 | 512}`): Verifier {
  return {
    ...PKCS1,
    verify({ key, signature, data }): Promise<boolean> {
      const imported = createPublicKey({ key: Buffer.from(plainRsaKey(key)), format: "der", type: "spki" });
      return Promise.resolve(verify(hash, data, imported, signature));
    },
  };
}

const PKCS1 = {
  keyOids: [KEY_OID.rsa, KEY_OID.rsaX500],
  cost: rsaCost,
  precheck({ algorithm, key }: SignatureInput): SignatureResult | undefined {
    if (!noneOrNull(algorithm.parameters)) {
      return badSignature("the algorithm has parameters, but must have none");
    }
    return checkRsaKey(key);
  },
};

/**
 * Returns the microseconds of a check with this key: each bit of the exponent is a squaring, and each set bit
 * also a multiplication.
 */
export function rsaCost({ key }: SignatureInput): number {
  const size = ((key.sizeBits ?? MAX_MODULUS_BITS) / MAX_MODULUS_BITS) ** 2;
  return BASE_COST + LARGEST_COST * size * multiplications(exponentOf(key)) / USUAL_MULTIPLICATIONS;
}

/**
 * Returns the bytes of the exponent: the second number of RSAPublicKey, which was checked when the key was
 * read.
 */
function exponentOf(key: PublicKeyInfo): Uint8Array {
  const sequence = new DerReader(key.bits).enter(TAG.sequence, "RSA key");
  sequence.next("modulus");
  return contentOf(sequence.next("exponent"));
}

function multiplications(exponent: Uint8Array): number {
  let count = bitLengthOf(exponent);
  for (const byte of exponent) for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count;
}

/** Returns why the runtime cannot use a key of this size; undefined if it can. */
export function checkRsaKey(key: PublicKeyInfo): SignatureResult | undefined {
  const bits = key.sizeBits ?? 0;
  if (bits > MAX_MODULUS_BITS) return unsupported(`an RSA key of ${bits} bits cannot be used here`);
  if (bitLengthOf(exponentOf(key)) > MAX_EXPONENT_BITS) {
    return unsupported("an RSA key with an exponent this large cannot be used here");
  }
  return undefined;
}

/** Encodes the key as rsaEncryption, whatever its OID and parameters are. */
export function plainRsaKey(key: PublicKeyInfo): Uint8Array<ArrayBuffer> {
  return subjectPublicKeyInfo(RSA_ENCRYPTION, { parameters: NULL, bits: key.bits });
}
