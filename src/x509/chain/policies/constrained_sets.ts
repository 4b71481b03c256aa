/** The policies for which a path is valid (RFC 5280 §6.1.5 (g), as changed by RFC 9618 §5.5). */

import type { PolicyLevel, PolicyNode } from "./graph.ts";
import { ANY_POLICY, type PolicySets } from "./types.ts";

/** Returns the constrained sets of a graph, given its nodes at the depth of the last certificate. */
export function constrainedSets(level: PolicyLevel, initialPolicies: readonly string[]): PolicySets {
  const authority = authoritySet(level);
  // (g)(6): intersection with the user-initial-policy-set; anyPolicy covers each of its members.
  const user = initialPolicies.includes(ANY_POLICY)
    ? authority
    : new Set(initialPolicies.filter((policy) => authority.has(policy) || authority.has(ANY_POLICY)));
  return { authority: [...authority].sort(), user: [...user].sort() };
}

/**
 * Returns the policies whose only parent is anyPolicy, at any depth, and anyPolicy at the last depth
 * ((g)(1)–(4)).
 */
function authoritySet(level: PolicyLevel): Set<string> {
  const policies = new Set<string>();
  if (level.has(ANY_POLICY)) policies.add(ANY_POLICY);
  const pending = [...level.values()];
  const visited = new Set<PolicyNode>(pending);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const [parent] = node.parents;
    const isTop = node.parents.length === 1 && parent!.policy === ANY_POLICY;
    if (isTop && node.policy !== ANY_POLICY) policies.add(node.policy);
    for (const above of node.parents) {
      if (visited.has(above)) continue;
      visited.add(above);
      pending.push(above);
    }
  }
  return policies;
}
