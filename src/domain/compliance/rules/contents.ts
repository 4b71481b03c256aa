/** Rules about names, issuers and validity periods. */

import { counted } from "../../../base/amounts.ts";
import { daysUntil, formatDate } from "../../../base/clock.ts";
import { lifetimeDays } from "../../rules/mod.ts";
import { clip, defineRule, issuerList, joinTexts, parametersOf, resultOf, wholeNumber } from "./types.ts";

/** Prefixes of names that are not DNS names. */
const OTHER_KIND = /^(?:IP|email|URI|DirName|RID|otherName)\b[^:]*:/i;

/**
 * Fails if the common name or a DNS name contains a `*` (RFC 9525 §6.3) at any position, because clients
 * differ in which positions they accept. A common name with spaces is not a DNS name.
 */
export const wildcardForbidden = defineRule({
  type: "wildcard_forbidden",
  parameters: parametersOf({}),
  check: ({ certificate: { commonName, sans } }) => {
    const wildcards = [...new Set([commonName, ...sans].filter(isWildcard))];
    const passes = wildcards.length === 0;
    const plural = wildcards.length === 1 ? "" : "s";
    return resultOf(passes, {
      message: passes
        ? "The certificate has no wildcard names."
        : `The certificate has the wildcard name${plural} ${joinTexts(wildcards)}.`,
      checked: passes ? "no wildcard names" : joinTexts(wildcards),
      expected: "no wildcard names",
    });
  },
});

function isWildcard(name: string): boolean {
  return name.includes("*") && !/\s/.test(name) && !OTHER_KIND.test(name);
}

const NAME = "subject alternative name";

/** Fails if a certificate has fewer than `min_count` subject alternative names (CA/B BR 7.1.2.7.12). */
export const sanRequired = defineRule({
  type: "san_required",
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

/** Fails if the issuer's name (RFC 5280 §4.1.2.4) contains one of `issuers`. */
export const issuerForbidden = defineRule({
  type: "issuer_forbidden",
  parameters: parametersOf({ issuers: issuerList() }),
  check: ({ certificate: { issuer }, parameters: { issuers } }) => {
    const passes = !issuers.some((part) => namesIssuer(issuer, part));
    return resultOf(passes, {
      message: `The issuer is ${clip(issuer)}, which is ${passes ? "not " : ""}forbidden.`,
      checked: clip(issuer),
      expected: `none of ${joinTexts(issuers)}`,
    });
  },
});

/**
 * Returns whether an issuer's distinguished name contains `part`, ignoring case, like an authority's
 * `issuer_pattern`.
 */
function namesIssuer(issuer: string, part: string): boolean {
  return issuer.toLowerCase().includes(part.toLowerCase());
}

/** Fails if the issuer's name (RFC 5280 §4.1.2.4) contains none of `issuers`. */
export const issuerAllowed = defineRule({
  type: "issuer_allowed",
  parameters: parametersOf({ issuers: issuerList() }),
  check: ({ certificate: { issuer }, parameters: { issuers } }) => {
    const passes = issuers.some((part) => namesIssuer(issuer, part));
    return resultOf(passes, {
      message: passes
        ? `The issuer is ${clip(issuer)}, which is allowed.`
        : `The issuer is ${clip(issuer)}; allowed: ${joinTexts(issuers)}.`,
      checked: clip(issuer),
      expected: `one of ${joinTexts(issuers)}`,
    });
  },
});

/**
 * Fails if a certificate is valid for more than `max_days` (CA/B BR 6.3.2; both ends are included, RFC 5280 §4.1.2.5).
 * A day is 86,400 seconds, and a part of one counts as a day.
 */
export const maxValidityDays = defineRule({
  type: "max_validity_days",
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
 * Fails if a certificate expires within `warning_days` calendar days (UTC), or has expired (RFC 5280
 * §4.1.2.5). Days are counted like `days_remaining`. The last day is included, as in `expiry_status`.
 */
export const expiryWarning = defineRule({
  type: "expiry_warning",
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
