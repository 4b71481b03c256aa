/** Key algorithms that are not to be used. */

import { algorithmList, parametersOf } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Fails when the key's algorithm is one of `algorithms` (CA/B BR 7.1.3.1). An unknown one fails only where it is named. */
export const algorithmForbidden = rule({
  type: "algorithm_forbidden",
  citation: "CA/B BR 7.1.3.1",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate: { algorithm }, parameters: { algorithms } }) => {
    const passes = !algorithms.includes(algorithm);
    const name = algorithmName(algorithm);
    return judged(passes, {
      message: `The key's algorithm is ${name}, which is ${passes ? "not " : ""}forbidden.`,
      checked: algorithm,
      expected: `none of ${algorithms.join(", ")}`,
    });
  },
});
