/** ECDSA (RFC 5758 §3.2): WebCrypto for the NIST curves it has, node:crypto for P-224. */

import { createPublicKey, verify } from "node:crypto";
import { KEY_OID } from "../../algorithm_names.ts";
import { DerError, DerReader, TAG } from "../../der.ts";
import { integerOf } from "../../der_values.ts";
import type { PublicKeyInfo } from "../../types.ts";
import { noneOrNull } from "./parameters.ts";
import { bad, type SignatureInput, type SignatureResult, unsupported, type Verifier } from "./types.ts";

type Hash = "SHA-1" | "SHA-224" | "SHA-256" | "SHA-384" | "SHA-512";

interface Curve {
  /** Octets of a coordinate. */
  readonly octets: number;
  /** Microseconds of a check. */
  readonly cost: number;
  readonly hashes: readonly Hash[];
}

/** Each curve's hashes are those measured to give correct answers; other combinations are unsupported. */
const CURVES: Readonly<Record<string, Curve>> = {
  "P-224": { octets: 28, cost: 550, hashes: ["SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"] },
  "P-256": { octets: 32, cost: 600, hashes: ["SHA-1", "SHA-256", "SHA-384", "SHA-512"] },
  "P-384": { octets: 48, cost: 2_000, hashes: ["SHA-256", "SHA-384", "SHA-512"] },
  "P-521": { octets: 66, cost: 3_600, hashes: ["SHA-256", "SHA-384", "SHA-512"] },
};

/** ECDSA with one hash; the curve is the key's. */
export function ecdsaVerifier(hash: Hash): Verifier {
  return {
    keyOids: [KEY_OID.ec],
    cost: ({ key }) => curveOf(key)?.cost ?? 0,
    precheck: (input) => precheck(input, hash),
    verify: (input) => input.key.curve === "P-224" ? verifyByNode(input, hash) : verifyByWeb(input, hash),
  };
}

function curveOf(key: PublicKeyInfo): Curve | undefined {
  return CURVES[key.curve ?? ""];
}

function precheck({ algorithm, key, signature }: SignatureInput, hash: Hash): SignatureResult | undefined {
  if (!noneOrNull(algorithm.parameters)) return bad("the algorithm has parameters, but must have none");
  const curve = curveOf(key);
  if (curve === undefined || !curve.hashes.includes(hash)) {
    return unsupported(`${key.name} with ${hash} cannot be checked here`);
  }
  return plainSignature(signature, curve) === undefined ? bad("it is not an ECDSA signature") : undefined;
}

async function verifyByWeb({ key, signature, data }: SignatureInput, hash: Hash): Promise<boolean> {
  const algorithm = { name: "ECDSA", namedCurve: key.curve! };
  const spki = key.spki as Uint8Array<ArrayBuffer>;
  const imported = await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]);
  const plain = plainSignature(signature, curveOf(key)!)!;
  return await crypto.subtle.verify({ name: "ECDSA", hash }, imported, plain, data as BufferSource);
}

function verifyByNode({ key, signature, data }: SignatureInput, hash: Hash): Promise<boolean> {
  const imported = createPublicKey({ key: key.spki as never, format: "der", type: "spki" });
  return Promise.resolve(verify(hash.replace("-", "").toLowerCase(), data, imported, signature));
}

/** Ecdsa-Sig-Value (RFC 3279 §2.2.3) as r followed by s; undefined when it does not match the curve. */
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

/** Writes a positive number so that it ends at `end`; false when it is negative or too large. */
function place(
  { number, plain, end, octets }: { number: Uint8Array; plain: Uint8Array; end: number; octets: number },
): boolean {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  if (number[0]! >= 0x80 || digits.length > octets) return false;
  plain.set(digits, end - digits.length);
  return true;
}
