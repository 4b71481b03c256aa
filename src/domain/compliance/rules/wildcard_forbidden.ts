/** Certificates for a whole level of names. */

import { parametersOf } from "./parameters.ts";
import { judged, rule } from "./types.ts";
import { listed } from "./wording.ts";

/** Kinds of names that are no DNS names. */
const OTHER_KIND = /^(?:IP|email|URI|DirName|RID|otherName)\b[^:]*:/i;

/**
 * Fails when the common name or a DNS name has a `*` (RFC 9525 §6.3), wherever it stands: clients differ in which
 * places they take it for a wildcard. A common name with blanks is no DNS name.
 */
export const wildcardForbidden = rule({
  type: "wildcard_forbidden",
  citation: "RFC 9525 §6.3",
  parameters: parametersOf({}),
  check: ({ certificate: { commonName, sans } }) => {
    const wildcards = [...new Set([commonName, ...sans].filter(isWildcard))];
    const passes = wildcards.length === 0;
    const plural = wildcards.length === 1 ? "" : "s";
    return judged(passes, {
      message: passes
        ? "The certificate has no wildcard names."
        : `The certificate has the wildcard name${plural} ${listed(wildcards)}.`,
      checked: passes ? "no wildcard names" : listed(wildcards),
      expected: "no wildcard names",
    });
  },
});

function isWildcard(name: string): boolean {
  return name.includes("*") && !/\s/.test(name) && !OTHER_KIND.test(name);
}
