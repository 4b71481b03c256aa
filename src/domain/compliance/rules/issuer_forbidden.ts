/** Issuers whose certificates are not to be used. */

import { namesIssuer } from "./issuer_allowed.ts";
import { issuerList, parametersOf } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { clip, listed } from "./wording.ts";

/** Fails when the issuer's name (RFC 5280 §4.1.2.4) has one of `issuers` in it. */
export const issuerForbidden = rule({
  type: "issuer_forbidden",
  citation: "RFC 5280 §4.1.2.4",
  parameters: parametersOf({ issuers: issuerList() }),
  check: ({ certificate: { issuer }, parameters: { issuers } }) => {
    const passes = !issuers.some((part) => namesIssuer(issuer, part));
    return judged(passes, {
      message: `The issuer is ${clip(issuer)}, which is ${passes ? "not " : ""}forbidden.`,
      checked: clip(issuer),
      expected: `none of ${listed(issuers)}`,
    });
  },
});
