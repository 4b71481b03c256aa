/** Keys that are too short. */

import { parametersOf, wholeNumber } from "./parameters.ts";
import { type CertificateFacts, judged, rule } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Bits that no key has; a policy that asks for more is a slip. */
const MAX_BITS = 65_536;

/**
 * Fails when a key has fewer than `min_bits`, an elliptic one fewer than `min_ec_bits` (CA/B BR 6.1.5). Ed25519 keys
 * have one size, and pass. A key of unknown algorithm is judged as RSA, the stricter measure; one of unknown size
 * fails, because nothing vouches for it.
 */
export const minKeySize = rule({
  type: "min_key_size",
  citation: "CA/B BR 6.1.5",
  parameters: parametersOf({
    min_bits: wholeNumber({ min: 1, max: MAX_BITS }).default(2048),
    min_ec_bits: wholeNumber({ min: 1, max: MAX_BITS }).default(256),
  }),
  check: ({ certificate, parameters }) => {
    const { algorithm, keySize } = certificate;
    if (algorithm === "ed25519") {
      return judged(true, {
        message: "Ed25519 keys have one size, and it suffices.",
        checked: "Ed25519",
        expected: "any Ed25519 key",
      });
    }
    const least = algorithm === "ecdsa" ? parameters.min_ec_bits : parameters.min_bits;
    const expected = `at least ${least} bits`;
    const key = keyOf(certificate);
    if (keySize === null) {
      return judged(false, {
        message: `The size of the ${key} is unknown; ${expected} are required.`,
        checked: "unknown",
        expected,
      });
    }
    const passes = keySize >= least;
    return judged(passes, {
      message: passes
        ? `The ${key} has ${keySize} bits.`
        : `The ${key} has ${keySize} bits; ${expected} are required.`,
      checked: `${keySize} bits`,
      expected,
    });
  },
});

function keyOf({ algorithm }: CertificateFacts): string {
  return algorithm === "unknown" ? "key of unknown algorithm" : `${algorithmName(algorithm)} key`;
}
