/** Forbidden issuers. */

import { namesIssuer } from "./issuer_allowed.ts";
import { issuerList, parametersOf } from "./parameters.ts";
import { defineRule, resultOf } from "./types.ts";
import { clip, joinTexts } from "./wording.ts";

/** Fails if the issuer's name (RFC 5280 §4.1.2.4) contains one of `issuers`. */
export const issuerForbidden = defineRule({
  type: "issuer_forbidden",
  citation: "RFC 5280 §4.1.2.4",
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
