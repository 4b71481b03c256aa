/**
 * ECDSA (RFC 5758 §3.2, RFC 8692 §3): by WebCrypto for the NIST curves and the hashes that it supports, by
 * node:crypto for others.
 */

import { createPublicKey, verify } from "node:crypto";
import { KEY_OID } from "../../algorithm_names.ts";
import { DerError, DerReader, TAG } from "../../der.ts";
import { integerOf } from "../../der_values.ts";
import type { PublicKeyInfo } from "../../types.ts";
import {
  badSignature,
  noneOrNull,
  type SignatureInput,
  type SignatureResult,
  unsupported,
  type Verifier,
} from "./types.ts";

type Sha3 = `SHA3-${224 | 256 | 384 | 512}`;
type Hash = "SHA-1" | "SHA-224" | "SHA-256" | "SHA-384" | "SHA-512" | Sha3;

interface Curve {
  /** Octets per coordinate. */
  readonly octets: number;
  /** Microseconds of a check with the slower implementation. */
  readonly cost: number;
  /** Hashes with which WebCrypto returns correct results, as measured. */
  readonly web: readonly Hash[];
  /** Hashes with which only node:crypto returns correct results. Other combinations are unsupported. */
  readonly node: readonly Hash[];
}

const SHA3: readonly Sha3[] = ["SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512"];
/**
 * node:crypto returns wrong results if the hash is shorter than half the curve. So P-384 lacks SHA-1, and
 * P-521 does not use node:crypto at all.
 */
const CURVES: Readonly<Record<string, Curve>> = {
  "P-224": {
    octets: 28,
    cost: 700,
    web: [],
    node: ["SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512", ...SHA3],
  },
  "P-256": {
    octets: 32,
    cost: 700,
    web: ["SHA-1", "SHA-256", "SHA-384", "SHA-512"],
    node: ["SHA-224", ...SHA3],
  },
  "P-384": {
    octets: 48,
    cost: 2_500,
    web: ["SHA-256", "SHA-384", "SHA-512"],
    node: ["SHA-224", ...SHA3],
  },
  "P-521": { octets: 66, cost: 3_600, web: ["SHA-1", "SHA-256", "SHA-384", "SHA-512"], node: [] },
};

/** Verifies ECDSA with a hash. The curve is that of the key. */
export function ecdsaVerifier(hash: Hash): Verifier {
  return {
    keyOids: [KEY_OID.ec],
    cost: ({ key }) => curveOf(key)?.cost ?? 0,
    precheck: (input) => precheck(input, hash),
    verify: (input) =>
      curveOf(input.key)!.web.includes(hash) ? verifyByWeb(input, hash) : verifyByNode(input, hash),
  };
}

function curveOf(key: PublicKeyInfo): Curve | undefined {
  return CURVES[key.curve ?? ""];
}

function precheck({ algorithm, key, signature }: SignatureInput, hash: Hash): SignatureResult | undefined {
  if (!noneOrNull(algorithm.parameters)) {
    return badSignature("the algorithm has parameters, but must have none");
  }
  const curve = curveOf(key);
  if (curve === undefined || !(curve.web.includes(hash) || curve.node.includes(hash))) {
    return unsupported(`${key.name} with ${hash} cannot be checked here`);
  }
  return plainSignature(signature, curve) === undefined
    ? badSignature("it is not an ECDSA signature")
    : undefined;
}

async function verifyByWeb({ key, signature, data }: SignatureInput, hash: Hash): Promise<boolean> {
  const algorithm = { name: "ECDSA", namedCurve: key.curve! };
  const imported = await crypto.subtle.importKey("spki", new Uint8Array(key.spki), algorithm, false, [
    "verify",
  ]);
  const plain = plainSignature(signature, curveOf(key)!)!;
  return await crypto.subtle.verify({ name: "ECDSA", hash }, imported, plain, new Uint8Array(data));
}

function verifyByNode({ key, signature, data }: SignatureInput, hash: Hash): Promise<boolean> {
  const imported = createPublicKey({ key: Buffer.from(key.spki), format: "der", type: "spki" });
  return Promise.resolve(verify(nodeName(hash), data, imported, signature));
}

/** Returns OpenSSL's name of a hash: `sha256`, but `sha3-256`. */
function nodeName(hash: Hash): string {
  return hash.toLowerCase().replace("sha-", "sha");
}

/** Returns Ecdsa-Sig-Value (RFC 3279 §2.2.3) as r followed by s; undefined if it does not match the curve. */
function plainSignature(der: Uint8Array, { octets }: Curve): Uint8Array<ArrayBuffer> | undefined {
  try {
    const outer = new DerReader(der);
    const sequence = outer.enter(TAG.sequence, "signature");
    outer.finish("signature");
    const r = integerOf(sequence.expect(TAG.integer, "r"), "r");
    const s = integerOf(sequence.expect(TAG.integer, "s"), "s");
    sequence.finish("signature");
    const plain = new Uint8Array(octets * 2);
    return place({ number: r, plain, end: octets, octets }) &&
        place({ number: s, plain, end: octets * 2, octets })
      ? plain
      : undefined;
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

/** Writes a positive number so that it ends at `end`. Returns false if it is negative or too large. */
function place(
  { number, plain, end, octets }: { number: Uint8Array; plain: Uint8Array; end: number; octets: number },
): boolean {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  if (number[0]! >= 0x80 || digits.length > octets) return false;
  plain.set(digits, end - digits.length);
  return true;
}
