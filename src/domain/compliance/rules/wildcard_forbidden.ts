/** Wildcard names are forbidden. */

import { parametersOf } from "./parameters.ts";
import { defineRequestRule, resultOf } from "./types.ts";
import { joinTexts } from "./wording.ts";

/** Prefixes of names that are not DNS names. */
const OTHER_KIND = /^(?:IP|email|URI|DirName|RID|otherName)\b[^:]*:/i;

/**
 * Fails if the common name or a DNS name contains a `*` (RFC 9525 §6.3) at any position, because clients
 * differ in which positions they accept. A common name with spaces is not a DNS name.
 */
export const wildcardForbidden = defineRequestRule({
  type: "wildcard_forbidden",
  citation: "RFC 9525 §6.3",
  evaluates: "names",
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
