/** Policy mappings of an intermediate (RFC 5280 §6.1.4 (a), (b), as changed by RFC 9618 §5.4). */

import type { ExtensionValues } from "../../types.ts";
import type { PolicyLevel } from "./graph.ts";
import { ANY_POLICY } from "./types.ts";

/** policyMappings as read from a certificate. */
export type PolicyMappings = NonNullable<ExtensionValues["policyMappings"]>;

/** Returns whether anyPolicy is mapped to or from, which §6.1.4 (a) forbids. */
export function mapsAnyPolicy(mappings: PolicyMappings): boolean {
  return mappings.some(({ issuerDomain, subjectDomain }) =>
    issuerDomain === ANY_POLICY || subjectDomain === ANY_POLICY
  );
}

/**
 * Applies mappings to the nodes of the certificate's depth (§6.1.4 (b)). `allowed` says whether
 * policy_mapping > 0.
 */
export function applyMappings(
  level: PolicyLevel,
  mappings: PolicyMappings,
  { allowed }: { allowed: boolean },
): void {
  for (const [issuerDomain, subjectDomains] of bySubjectDomains(mappings)) {
    // (b)(2): mapping is inhibited, so mapped policies are not valid below.
    if (!allowed) {
      level.delete(issuerDomain);
      continue;
    }
    const expected = [...subjectDomains];
    const node = level.get(issuerDomain);
    const anyNode = level.get(ANY_POLICY);
    // (b)(1): the mapped policy, or anyPolicy if there is none, expects the policies of the subject's domain.
    if (node !== undefined) node.expected = expected;
    else if (anyNode !== undefined) {
      level.set(issuerDomain, { policy: issuerDomain, expected, parents: anyNode.parents });
    }
  }
}

function bySubjectDomains(mappings: PolicyMappings): Map<string, Set<string>> {
  const grouped = new Map<string, Set<string>>();
  for (const { issuerDomain, subjectDomain } of mappings) {
    const same = grouped.get(issuerDomain);
    if (same === undefined) grouped.set(issuerDomain, new Set([subjectDomain]));
    else same.add(subjectDomain);
  }
  return grouped;
}
