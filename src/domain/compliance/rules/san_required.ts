/** Certificates need subject alternative names. */

import { counted } from "../../../base/amounts.ts";
import { parametersOf, wholeNumber } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";

const NAME = "subject alternative name";

/** Fails if a certificate has fewer than `min_count` subject alternative names (CA/B BR 7.1.2.7.12). */
export const sanRequired = defineRequestRule({
  type: "san_required",
  citation: "CA/B BR 7.1.2.7.12",
  evaluates: "names",
  parameters: parametersOf({
    min_count: wholeNumber({
      min: 1,
      max: 2_000,
      description: "Minimum number of subject alternative names.",
    }).default(1),
  }),
  check: ({ certificate: { sans }, parameters: { min_count } }) => {
    const has = `The certificate has ${sans.length === 0 ? `no ${NAME}s` : counted(sans.length, NAME)}`;
    const passes = sans.length >= min_count;
    return resultOf(passes, {
      message: passes
        ? `${has}.`
        : `${has}; at least ${min_count} ${min_count === 1 ? "is" : "are"} required.`,
      checked: counted(sans.length, "name"),
      expected: `at least ${counted(min_count, "name")}`,
    });
  },
});
