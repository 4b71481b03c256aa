/** Issuers that are approved of. */

import { issuerList, parametersOf } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { clip, listed } from "./wording.ts";

/** Whether an issuer's distinguished name has `part` in it, in any case, as an authority's `issuer_pattern` is found. */
export function namesIssuer(issuer: string, part: string): boolean {
  return issuer.toLowerCase().includes(part.toLowerCase());
}

/** Fails when the issuer's name (RFC 5280 §4.1.2.4) has none of `issuers` in it. */
export const issuerAllowed = rule({
  type: "issuer_allowed",
  citation: "RFC 5280 §4.1.2.4",
  parameters: parametersOf({ issuers: issuerList() }),
  check: ({ certificate: { issuer }, parameters: { issuers } }) => {
    const passes = issuers.some((part) => namesIssuer(issuer, part));
    return judged(passes, {
      message: passes
        ? `The issuer is ${clip(issuer)}, which is allowed.`
        : `The issuer is ${clip(issuer)}; allowed: ${listed(issuers)}.`,
      checked: clip(issuer),
      expected: `one of ${listed(issuers)}`,
    });
  },
});
