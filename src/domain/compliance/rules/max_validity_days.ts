/** The maximum validity period. */

import { counted } from "../../../base/amounts.ts";
import { DAY_MS } from "../../../base/clock.ts";
import { parametersOf, wholeNumber } from "./parameters.ts";
import { type CertificateFacts, defineRule, resultOf } from "./types.ts";

/**
 * Fails if a certificate is valid for more than `max_days` (CA/B BR 6.3.2; both ends are included, RFC 5280 §4.1.2.5).
 * A day is 86,400 seconds, and a part of one counts as a day.
 */
export const maxValidityDays = defineRule({
  type: "max_validity_days",
  citation: "CA/B BR 6.3.2",
  parameters: parametersOf({
    max_days: wholeNumber({ min: 1, max: 100_000, description: "Maximum validity of a certificate in days." })
      .default(397),
  }),
  check: ({ certificate, parameters: { max_days } }) => {
    const days = lifetimeDays(certificate);
    const validity = `The certificate is valid for ${counted(days, "day")}`;
    const passes = days <= max_days;
    return resultOf(passes, {
      message: passes ? `${validity}.` : `${validity}; at most ${max_days} are allowed.`,
      checked: counted(days, "day"),
      expected: `at most ${counted(max_days, "day")}`,
    });
  },
});

/**
 * Returns the validity period in days, rounded up. Times are in whole seconds, and the last second is
 * included.
 */
function lifetimeDays({ validFrom, validTo }: CertificateFacts): number {
  return Math.ceil((validTo - validFrom + 1_000) / DAY_MS);
}
