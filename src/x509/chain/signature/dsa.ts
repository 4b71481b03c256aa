/** DSA (RFC 3279 §2.2.2, RFC 5758 §3.1) by node:crypto. Only old hierarchies use it. */

import { createPublicKey, verify } from "node:crypto";
import { KEY_OID } from "../../algorithm_names.ts";
import { DerError, DerReader, TAG } from "../../der.ts";
import { bitLengthOf, integerOf } from "../../der_values.ts";
import type { PublicKeyInfo } from "../../types.ts";
import { subjectPublicKeyInfo } from "./der_write.ts";
import { noneOrNull } from "./parameters.ts";
import {
  badSignature,
  type SignatureInput,
  type SignatureResult,
  unsupported,
  type Verifier,
} from "./types.ts";

/** Maximum sizes of p and q in bits: the largest of FIPS 186-4 §4.2. Larger ones take unbounded time. */
const MAX_P_BITS = 3_072;
const MAX_Q_BITS = 256;
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
      const imported = createPublicKey({ key: spki as never, format: "der", type: "spki" });
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
  const sizes = parameterBits(parameters);
  if (sizes === undefined) return badSignature("the parameters of the issuer's DSA key are malformed");
  const { p, q, g } = sizes;
  if (p > MAX_P_BITS || q > MAX_Q_BITS || g > MAX_P_BITS || key.bits.length > MAX_P_BITS) {
    return unsupported(`a DSA key of ${p} bits cannot be used here`);
  }
  return undefined;
}

/** Returns the bits of p, q and g of Dss-Parms (RFC 3279 §2.3.2). */
function parameterBits(parameters: Uint8Array): { p: number; q: number; g: number } | undefined {
  try {
    const sequence = new DerReader(parameters).enter(TAG.sequence, "DSA parameters");
    const [p, q, g] = ["p", "q", "g"].map((name) => integerOf(sequence.expect(TAG.integer, name), name));
    return { p: bitLengthOf(p!), q: bitLengthOf(q!), g: bitLengthOf(g!) };
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}
