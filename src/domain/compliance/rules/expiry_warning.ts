/** Certificates that expire soon. */

import { counted } from "../../../base/amounts.ts";
import { daysUntil, formatDate } from "../../../base/clock.ts";
import { parametersOf, wholeNumber } from "./parameters.ts";
import { defineRule, resultOf } from "./types.ts";

/**
 * Fails if a certificate expires within `warning_days` calendar days (UTC), or has expired (RFC 5280
 * §4.1.2.5). Days are counted like `days_remaining`. The last day is included, as in `expiry_status`.
 */
export const expiryWarning = defineRule({
  type: "expiry_warning",
  citation: "RFC 5280 §4.1.2.5",
  parameters: parametersOf({
    warning_days: wholeNumber({
      min: 0,
      max: 100_000,
      description: "A certificate fails from this many days before its expiry.",
    }).default(30),
  }),
  check: ({ certificate: { validTo }, parameters: { warning_days }, now }) => {
    const days = daysUntil(validTo, now);
    const date = formatDate(validTo);
    const expected = `more than ${counted(warning_days, "day")}`;
    // In whole seconds, because the certificate is still valid in the second of notAfter.
    if (validTo < Math.floor(now / 1_000) * 1_000) {
      const ago = days === 0 ? "today" : `${counted(-days, "day")} ago`;
      return resultOf(false, {
        message: `The certificate expired ${ago}, on ${date}.`,
        checked: `expired ${ago}`,
        expected,
      });
    }
    const when = days === 0 ? "today" : `in ${counted(days, "day")}`;
    return resultOf(days > warning_days, {
      message: `The certificate expires ${when}, on ${date}.`,
      checked: counted(days, "day"),
      expected,
    });
  },
});
