/** The minimum key size. */

import { parametersOf, wholeNumber } from "./parameters.ts";
import { defineRequestRule, type RequestFacts, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Maximum of the size that a policy can require. No key is larger, so a larger value is a typing error. */
const MAX_BITS = 65_536;

/**
 * Fails if a key has fewer bits than `min_bits`, or an elliptic curve key fewer than `min_ec_bits` (CA/B BR
 * 6.1.5). Ed25519 keys have a fixed size, and pass. If the algorithm is unknown, the stricter limit for RSA
 * applies. If the size is unknown, the rule fails.
 */
export const minKeySize = defineRequestRule({
  type: "min_key_size",
  citation: "CA/B BR 6.1.5",
  evaluates: "key",
  parameters: parametersOf({
    min_bits: wholeNumber({ min: 1, max: MAX_BITS, description: "Minimum size of a key in bits." }).default(
      2048,
    ),
    min_ec_bits: wholeNumber({
      min: 1,
      max: MAX_BITS,
      description: "Minimum size of an elliptic-curve key in bits.",
    }).default(256),
  }),
  check: ({ certificate, parameters }) => {
    const { algorithm, keySize } = certificate;
    if (algorithm === "ed25519") {
      return resultOf(true, {
        message: "Ed25519 keys have a fixed size, which is sufficient.",
        checked: "Ed25519",
        expected: "any Ed25519 key",
      });
    }
    const least = algorithm === "ecdsa" ? parameters.min_ec_bits : parameters.min_bits;
    const expected = `at least ${least} bits`;
    const key = keyOf(certificate);
    if (keySize === null) {
      return resultOf(false, {
        message: `The size of the ${key} is unknown; ${expected} are required.`,
        checked: "unknown",
        expected,
      });
    }
    const passes = keySize >= least;
    return resultOf(passes, {
      message: passes
        ? `The ${key} has ${keySize} bits.`
        : `The ${key} has ${keySize} bits; ${expected} are required.`,
      checked: `${keySize} bits`,
      expected,
    });
  },
});

function keyOf({ algorithm }: RequestFacts): string {
  return algorithm === "unknown" ? "key of unknown algorithm" : `${algorithmName(algorithm)} key`;
}
