/** DSA (RFC 3279 §2.2.2, RFC 5758 §3.1) by node:crypto. Only old hierarchies use it. */

import { createPublicKey, verify } from "node:crypto";
import { KEY_OID } from "../../algorithm_names.ts";
import { DerError, DerReader, TAG } from "../../der.ts";
import { bitLengthOf, integerOf } from "../../der_values.ts";
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

/** Sizes of p and q in bits (FIPS 186-4 §4.2). Larger ones take unbounded time, smaller ones prove nothing. */
const MIN_P_BITS = 1_024;
const MAX_P_BITS = 3_072;
const Q_BITS: readonly number[] = [160, 224, 256];
/** Microseconds of a check with the largest key. The cost is quadratic in the size. */
const LARGEST_COST = 3_700;
const DSA = Uint8Array.fromHex("2a8648ce380401");

/** Verifies DSA with a hash. */
export function dsaVerifier(hash: "sha1" | "sha224" | "sha256" | "sha384" | "sha512"): Verifier {
  return {
    keyOids: [KEY_OID.dsa],
    cost: ({ key }) => LARGEST_COST * ((key.sizeBits ?? MAX_P_BITS) / MAX_P_BITS) ** 2,
    precheck,
    verify({ key, inheritedParameters, signature, data }): Promise<boolean> {
      const parameters = ownDsaParameters(key) ?? inheritedParameters!;
      const spki = subjectPublicKeyInfo(DSA, { parameters, bits: key.bits });
      const imported = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
      return Promise.resolve(verify(hash, data, imported, signature));
    },
  };
}

/**
 * Returns the key's own parameters; undefined if they are absent or NULL, so that they are inherited (RFC
 * 5280 §6.1.4 (f)).
 */
export function ownDsaParameters(key: PublicKeyInfo): Uint8Array | undefined {
  return noneOrNull(key.parameters) ? undefined : key.parameters;
}

function precheck({ algorithm, key, inheritedParameters }: SignatureInput): SignatureResult | undefined {
  if (!noneOrNull(algorithm.parameters)) {
    return badSignature("the algorithm has parameters, but must have none");
  }
  const parameters = ownDsaParameters(key) ?? inheritedParameters;
  if (parameters === undefined) return unsupported("the issuer's DSA key has no parameters");
  const numbers = numbersOf(parameters, key.bits);
  if (numbers === undefined) return badSignature("the issuer's DSA key is malformed");
  const [p = 0, q = 0] = numbers.map(bitLengthOf);
  if (numbers.some((number) => bitLengthOf(number) > MAX_P_BITS)) {
    return unsupported(`a DSA key of ${p} bits cannot be used here`);
  }
  return p < MIN_P_BITS || !Q_BITS.includes(q) || isDegenerate(numbers.map(valueOf))
    ? badSignature(
      `the issuer's DSA key of ${p} bits proves nothing: its numbers are too small or degenerate`,
    )
    : undefined;
}

/**
 * Returns whether anyone can sign for a key: q must divide p - 1, and neither the generator nor the public number may
 * be 1 or -1 (FIPS 186-4 §4.1).
 */
function isDegenerate([p = 0n, q = 0n, g = 0n, y = 0n]: readonly bigint[]): boolean {
  return (p - 1n) % q !== 0n || [g, y].some((number) => number <= 1n || number >= p - 1n);
}

function valueOf(content: Uint8Array): bigint {
  return BigInt(`0x${content.toHex()}`);
}

/** Returns p, q and g of Dss-Parms (RFC 3279 §2.3.2) and the public number. */
function numbersOf(parameters: Uint8Array, bits: Uint8Array): Uint8Array[] | undefined {
  try {
    const sequence = new DerReader(parameters).enter(TAG.sequence, "DSA parameters");
    const group = ["p", "q", "g"].map((name) => integerOf(sequence.expect(TAG.integer, name), name));
    return [...group, integerOf(new DerReader(bits).expect(TAG.integer, "public number"), "public number")];
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}
