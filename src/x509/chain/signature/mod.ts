/**
 * Checks signatures by the OID of their algorithm, with the implementation that was measured to be correct.
 * An algorithm without one is `unsupported`, never `bad`.
 */

import { KEY_OID, SINGLE_OID_ALGORITHMS } from "../../algorithm_names.ts";
import { dsaVerifier } from "./dsa.ts";
import { ecdsaVerifier } from "./ecdsa.ts";
import { nodeRsaVerifier, rsaVerifier } from "./rsa.ts";
import { rsaPssVerifier } from "./rsa_pss.ts";
import { ed448Verifier, webVerifier } from "./single.ts";
import {
  badSignature,
  type SignatureInput,
  type SignatureResult,
  unsupported,
  type Verifier,
} from "./types.ts";

export { ownDsaParameters } from "./dsa.ts";
export type { SignatureInput, SignatureResult } from "./types.ts";

/** Bytes that are hashed per microsecond, including copying. */
const HASHED_PER_MICRO = 150;
const ED448 = "1.3.101.113";
const ML_DSA = "2.16.840.1.101.3.4.3.";

const VERIFIERS: ReadonlyMap<string, Verifier> = new Map([
  ["1.2.840.113549.1.1.4", nodeRsaVerifier("md5")],
  ["1.2.840.113549.1.1.5", rsaVerifier("SHA-1")],
  ["1.3.14.3.2.29", rsaVerifier("SHA-1")],
  ["1.2.840.113549.1.1.14", nodeRsaVerifier("sha224")],
  ["1.2.840.113549.1.1.11", rsaVerifier("SHA-256")],
  ["1.2.840.113549.1.1.12", rsaVerifier("SHA-384")],
  ["1.2.840.113549.1.1.13", rsaVerifier("SHA-512")],
  ["2.16.840.1.101.3.4.3.13", nodeRsaVerifier("sha3-224")],
  ["2.16.840.1.101.3.4.3.14", nodeRsaVerifier("sha3-256")],
  ["2.16.840.1.101.3.4.3.15", nodeRsaVerifier("sha3-384")],
  ["2.16.840.1.101.3.4.3.16", nodeRsaVerifier("sha3-512")],
  [KEY_OID.rsaPss, rsaPssVerifier],
  ["1.2.840.10045.4.1", ecdsaVerifier("SHA-1")],
  ["1.2.840.10045.4.3.1", ecdsaVerifier("SHA-224")],
  ["1.2.840.10045.4.3.2", ecdsaVerifier("SHA-256")],
  ["1.2.840.10045.4.3.3", ecdsaVerifier("SHA-384")],
  ["1.2.840.10045.4.3.4", ecdsaVerifier("SHA-512")],
  ["2.16.840.1.101.3.4.3.9", ecdsaVerifier("SHA3-224")],
  ["2.16.840.1.101.3.4.3.10", ecdsaVerifier("SHA3-256")],
  ["2.16.840.1.101.3.4.3.11", ecdsaVerifier("SHA3-384")],
  ["2.16.840.1.101.3.4.3.12", ecdsaVerifier("SHA3-512")],
  ["1.2.840.10040.4.3", dsaVerifier("sha1")],
  ["2.16.840.1.101.3.4.3.1", dsaVerifier("sha224")],
  ["2.16.840.1.101.3.4.3.2", dsaVerifier("sha256")],
  ["2.16.840.1.101.3.4.3.3", dsaVerifier("sha384")],
  ["2.16.840.1.101.3.4.3.4", dsaVerifier("sha512")],
  [KEY_OID.ed25519, webVerifier(KEY_OID.ed25519, 180)],
  [ED448, ed448Verifier(ED448, 1_200)],
  ...Object.entries(SINGLE_OID_ALGORITHMS).flatMap(([oid, [name]]): [string, Verifier][] =>
    oid.startsWith(ML_DSA) ? [[oid, webVerifier(oid, postQuantumCost(name))]] : []
  ),
]);

/** Returns the microseconds of a check with ML-DSA, or with the small and fast forms of SLH-DSA. */
function postQuantumCost(name: string): number {
  if (name.startsWith("ML-DSA")) return 300;
  return name.endsWith("s") ? 6_000 : 11_500;
}

/** Returns the measured cost of the check in microseconds; 0 if no arithmetic is needed. */
export function signatureCost(input: SignatureInput): number {
  const verifier = VERIFIERS.get(input.algorithm.oid);
  if (verifier === undefined || precheck(input, verifier) !== undefined) return 0;
  return verifier.cost(input) + input.data.length / HASHED_PER_MICRO;
}

/** Checks one signature (RFC 5280 §6.1.3 (a)(1)). Never throws. */
export async function verifySignature(input: SignatureInput): Promise<SignatureResult> {
  const verifier = VERIFIERS.get(input.algorithm.oid);
  if (verifier === undefined) return unsupported(`${input.algorithm.name} cannot be checked here`);
  const decided = precheck(input, verifier);
  if (decided !== undefined) return decided;
  try {
    return await verifier.verify(input)
      ? { kind: "good" }
      : badSignature("it does not verify with the issuer's key");
  } catch {
    // The runtime refuses the key (an exponent out of range, an invalid point) or lacks the algorithm.
    return unsupported(`${input.key.name} with ${input.algorithm.name} cannot be checked here`);
  }
}

/** Returns the result if it is known without arithmetic. */
function precheck(input: SignatureInput, verifier: Verifier): SignatureResult | undefined {
  const { key, algorithm } = input;
  if (!verifier.keyOids.includes(key.oid)) {
    return badSignature(`${algorithm.name} cannot have been made by the issuer's ${key.name} key`);
  }
  if (key.oid === KEY_OID.ec && key.curve === undefined) {
    return unsupported(`${key.name} cannot be used here`);
  }
  if (key.malformed !== undefined) return badSignature(`the issuer's key is malformed: ${key.malformed}`);
  return verifier.precheck(input);
}
