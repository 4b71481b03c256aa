/**
 * Algorithms with one OID for both key and signature: EdDSA (RFC 8410), ML-DSA (RFC 9881), SLH-DSA (RFC
 * 9909).
 */

import { createPublicKey, verify } from "node:crypto";
import { SINGLE_OID_ALGORITHMS } from "../../algorithm_names.ts";
import { badSignature, type SignatureInput, type SignatureResult, type Verifier } from "./types.ts";

/**
 * Returns the verifier of a WebCrypto algorithm; `cost` is in microseconds. Importing the key throws if the
 * runtime lacks the algorithm.
 */
export function webVerifier(oid: string, cost: number): Verifier {
  const name = SINGLE_OID_ALGORITHMS[oid]![0];
  return {
    ...frame(oid, cost),
    async verify({ key, signature, data }): Promise<boolean> {
      const imported = await crypto.subtle.importKey("spki", new Uint8Array(key.spki), { name }, false, [
        "verify",
      ]);
      const bytes = new Uint8Array(data);
      return await crypto.subtle.verify({ name }, imported, new Uint8Array(signature), bytes);
    },
  };
}

/** Returns the verifier of Ed448, which only node:crypto supports. */
export function ed448Verifier(oid: string, cost: number): Verifier {
  return {
    ...frame(oid, cost),
    verify({ key, signature, data }): Promise<boolean> {
      const imported = createPublicKey({ key: Buffer.from(key.spki), format: "der", type: "spki" });
      return Promise.resolve(verify(null, data, imported, signature));
    },
  };
}

function frame(oid: string, cost: number): Pick<Verifier, "keyOids" | "cost" | "precheck"> {
  return { keyOids: [oid], cost: () => cost, precheck };
}

/** Checks that the identifier and the key have no parameters, as all three RFCs require. */
function precheck({ algorithm, key }: SignatureInput): SignatureResult | undefined {
  return algorithm.parameters === undefined && key.parameters === undefined
    ? undefined
    : badSignature("the algorithm has parameters, but must have none");
}
