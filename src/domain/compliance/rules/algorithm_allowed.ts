/** Allowed key algorithms. */

import { algorithmList, parametersOf } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Fails if the key's algorithm is not in `algorithms` (CA/B BR 7.1.3.1). An unknown algorithm passes only if `unknown` is listed. */
export const algorithmAllowed = defineRequestRule({
  type: "algorithm_allowed",
  citation: "CA/B BR 7.1.3.1",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate: { algorithm }, parameters: { algorithms } }) => {
    const passes = algorithms.includes(algorithm);
    const name = algorithmName(algorithm);
    const allowed = algorithms.map(algorithmName).join(", ");
    return resultOf(passes, {
      message: passes
        ? `The key's algorithm is ${name}, which is allowed.`
        : `The key's algorithm is ${name}; allowed: ${allowed}.`,
      checked: algorithm,
      expected: `one of ${algorithms.join(", ")}`,
    });
  },
});
