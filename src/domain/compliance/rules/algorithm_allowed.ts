/** Allowed algorithms of keys and signatures. */

import { hasAny, keyNames, namesSignature, signatureNames } from "./algorithm_words.ts";
import { algorithmList, parametersOf } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/**
 * Fails if the algorithm of the key is not in `algorithms` (CA/B BR 7.1.3), or, where these name hashes of signatures,
 * if that of the signature is not. A key of unknown algorithm passes only if `unknown` is listed.
 */
export const algorithmAllowed = defineRequestRule({
  type: "algorithm_allowed",
  citation: "CA/B BR 7.1.3",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const [ofSignatures, ofKeys] = [true, false].map((forSignature) =>
      algorithms.filter((name) => namesSignature(name) === forSignature)
    ) as [string[], string[]];
    const [keys, signatures] = [keyNames(certificate), signatureNames(certificate)];
    const goodKey = ofKeys.length === 0 || hasAny(ofKeys, keys);
    // A request has no signature of an issuer yet, and a certificate without PEM no known one.
    const goodSignature = ofSignatures.length === 0 || signatures.length === 0 ||
      hasAny(ofSignatures, signatures);
    const passes = goodKey && goodSignature;
    const [what, [checked = ""]] = goodKey && !passes ? ["The signature's", signatures] : ["The key's", keys];
    const name = algorithmName(checked);
    return resultOf(passes, {
      message: passes
        ? `${what} algorithm is ${name}, which is allowed.`
        : `${what} algorithm is ${name}; allowed: ${algorithms.map(algorithmName).join(", ")}.`,
      checked,
      expected: `one of ${algorithms.join(", ")}`,
    });
  },
});
