/** RSASSA-PSS (RFC 8017 §8.1, RFC 4055 §3). */

import { constants, createPublicKey, verify } from "node:crypto";
import { HASH_NAMES, KEY_OID } from "../../algorithm_names.ts";
import { type PssParameters, pssParameters } from "../../algorithms.ts";
import { checkRsaKey, plainRsaKey, rsaCost } from "./rsa.ts";
import {
  badSignature,
  type SignatureInput,
  type SignatureResult,
  unsupported,
  type Verifier,
} from "./types.ts";

const HASHES: readonly string[] = ["SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];

/** Verifies RSASSA-PSS with the hash, mask and salt of the parameters. */
export const rsaPssVerifier: Verifier = {
  keyOids: [KEY_OID.rsa, KEY_OID.rsaPss],
  cost: rsaCost,
  precheck({ algorithm, key }: SignatureInput): SignatureResult | undefined {
    const required = pssParameters(algorithm.parameters);
    // RFC 4055 §3.1: the parameters of a signature must not be absent.
    if (required === undefined || algorithm.parameters === undefined || required.trailerField !== 1) {
      return badSignature("its RSASSA-PSS parameters are malformed");
    }
    if (required.maskHash !== required.hash || !HASHES.includes(HASH_NAMES[required.hash] ?? "")) {
      return unsupported("its RSASSA-PSS parameters name a hash or a mask that cannot be used here");
    }
    if (!allowedByKey(key.oid === KEY_OID.rsaPss ? key.parameters : undefined, required)) {
      return badSignature("its RSASSA-PSS parameters are not those that the issuer's key is restricted to");
    }
    return checkRsaKey(key);
  },
  async verify({ algorithm, key, signature, data }): Promise<boolean> {
    const { hash, saltLength } = pssParameters(algorithm.parameters)!;
    // WebCrypto lacks it.
    if (HASH_NAMES[hash] === "SHA-224") {
      const plain = createPublicKey({ key: Buffer.from(plainRsaKey(key)), format: "der", type: "spki" });
      return verify(
        "sha224",
        data,
        { key: plain, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength },
        signature,
      );
    }
    const name = { name: "RSA-PSS", hash: HASH_NAMES[hash]! };
    const imported = await crypto.subtle.importKey("spki", plainRsaKey(key), name, false, ["verify"]);
    return await crypto.subtle.verify(
      { name: "RSA-PSS", saltLength },
      imported,
      new Uint8Array(signature),
      new Uint8Array(data),
    );
  },
};

/**
 * Returns whether the key allows the parameters. Parameters of the key determine hash and mask, and the
 * minimum length of the salt (RFC 4055 §3.3). Without them, any are allowed.
 */
function allowedByKey(keyParameters: Uint8Array | undefined, required: PssParameters): boolean {
  if (keyParameters === undefined) return true;
  const fixed = pssParameters(keyParameters);
  return fixed !== undefined && fixed.hash === required.hash && fixed.maskHash === required.maskHash &&
    required.saltLength >= fixed.saltLength;
}
