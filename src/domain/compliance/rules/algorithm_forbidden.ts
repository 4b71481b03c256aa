/** Forbidden algorithms of keys and signatures. */

import { hasAny, keyNames, signatureNames } from "./algorithm_words.ts";
import { algorithmList, parametersOf } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/**
 * Fails if the algorithm of the key, or the hash of the signature, is in `algorithms` (CA/B BR 7.1.3). A key of unknown
 * algorithm fails only if `unknown` is listed.
 */
export const algorithmForbidden = defineRequestRule({
  type: "algorithm_forbidden",
  citation: "CA/B BR 7.1.3",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate, parameters: { algorithms } }) => {
    const [keys, signatures] = [keyNames(certificate), signatureNames(certificate)];
    const badSignature = hasAny(algorithms, signatures);
    const passes = !badSignature && !hasAny(algorithms, keys);
    const [what, [checked = ""]] = badSignature ? ["The signature's", signatures] : ["The key's", keys];
    return resultOf(passes, {
      message: `${what} algorithm is ${algorithmName(checked)}, which is ${passes ? "not " : ""}forbidden.`,
      checked,
      expected: `none of ${algorithms.join(", ")}`,
    });
  },
});
