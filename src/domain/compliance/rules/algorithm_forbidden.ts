/** Forbidden key algorithms. */

import { algorithmList, parametersOf } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Fails if the key's algorithm is in `algorithms` (CA/B BR 7.1.3.1). An unknown algorithm fails only if `unknown` is listed. */
export const algorithmForbidden = defineRequestRule({
  type: "algorithm_forbidden",
  citation: "CA/B BR 7.1.3.1",
  evaluates: "key",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate: { algorithm }, parameters: { algorithms } }) => {
    const passes = !algorithms.includes(algorithm);
    const name = algorithmName(algorithm);
    return resultOf(passes, {
      message: `The key's algorithm is ${name}, which is ${passes ? "not " : ""}forbidden.`,
      checked: algorithm,
      expected: `none of ${algorithms.join(", ")}`,
    });
  },
});
