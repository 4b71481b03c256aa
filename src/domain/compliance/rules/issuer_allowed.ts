/** Allowed issuers. */

import { issuerList, parametersOf } from "./parameters.ts";
import { defineRule, resultOf } from "./types.ts";
import { clip, joinTexts } from "./wording.ts";

/**
 * Returns whether an issuer's distinguished name contains `part`, ignoring case, like an authority's
 * `issuer_pattern`.
 */
export function namesIssuer(issuer: string, part: string): boolean {
  return issuer.toLowerCase().includes(part.toLowerCase());
}

/** Fails if the issuer's name (RFC 5280 §4.1.2.4) contains none of `issuers`. */
export const issuerAllowed = defineRule({
  type: "issuer_allowed",
  citation: "RFC 5280 §4.1.2.4",
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
