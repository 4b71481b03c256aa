/** Key algorithms that are approved of. */

import { algorithmList, parametersOf } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { algorithmName } from "./wording.ts";

/** Fails when the key's algorithm is none of `algorithms` (CA/B BR 7.1.3.1). An unknown one has to be named to pass. */
export const algorithmAllowed = rule({
  type: "algorithm_allowed",
  citation: "CA/B BR 7.1.3.1",
  parameters: parametersOf({ algorithms: algorithmList() }),
  check: ({ certificate: { algorithm }, parameters: { algorithms } }) => {
    const passes = algorithms.includes(algorithm);
    const name = algorithmName(algorithm);
    const allowed = algorithms.map(algorithmName).join(", ");
    return judged(passes, {
      message: passes
        ? `The key's algorithm is ${name}, which is allowed.`
        : `The key's algorithm is ${name}; allowed: ${allowed}.`,
      checked: algorithm,
      expected: `one of ${algorithms.join(", ")}`,
    });
  },
});
