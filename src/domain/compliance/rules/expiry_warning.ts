/** Certificates that are about to expire. */

import { daysUntil, formatDate } from "../../../base/clock.ts";
import { parametersOf, wholeNumber } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { counted } from "./wording.ts";

/**
 * Fails when a certificate ends within `warning_days` calendar days (UTC), or has ended (RFC 5280 §4.1.2.5). Days are
 * counted as `days_remaining` counts them, and the last of them is within, as it is for `expiry_status`.
 */
export const expiryWarning = rule({
  type: "expiry_warning",
  citation: "RFC 5280 §4.1.2.5",
  parameters: parametersOf({ warning_days: wholeNumber({ min: 0, max: 100_000 }).default(30) }),
  check: ({ certificate: { validTo }, parameters: { warning_days }, now }) => {
    const days = daysUntil(validTo, now);
    const date = formatDate(validTo);
    const expected = `more than ${counted(warning_days, "day")}`;
    // Whole seconds: the moment of notAfter itself is still inside.
    if (validTo < Math.floor(now / 1_000) * 1_000) {
      const ago = days === 0 ? "today" : `${counted(-days, "day")} ago`;
      return judged(false, {
        message: `The certificate expired ${ago}, on ${date}.`,
        checked: `expired ${ago}`,
        expected,
      });
    }
    const when = days === 0 ? "today" : `in ${counted(days, "day")}`;
    return judged(days > warning_days, {
      message: `The certificate expires ${when}, on ${date}.`,
      checked: counted(days, "day"),
      expected,
    });
  },
});
