/**
 * The valid_policy_graph (RFC 9618 §4.1). Each depth has at most one node per policy, so the graph grows linearly with
 * the policies and mappings of the path, where the tree of RFC 5280 could grow exponentially.
 */

import { ANY_POLICY } from "./types.ts";

/** A node of the graph; qualifiers are not kept. */
export interface PolicyNode {
  /** valid_policy. */
  readonly policy: string;
  /** expected_policy_set. */
  expected: readonly string[];
  /** The nodes one level above that lead to this node. */
  readonly parents: readonly PolicyNode[];
}

/**
 * The nodes of one depth by policy. An empty map is the graph NULL. Nodes above without a path to this depth
 * count as deleted (§6.1.3 (d)(3)), because they cannot be reached through {@link PolicyNode.parents}.
 */
export type PolicyLevel = Map<string, PolicyNode>;

/** Returns the graph before the first certificate: anyPolicy at depth 0 (RFC 5280 §6.1.2 (a)). */
export function initialLevel(): PolicyLevel {
  return new Map([[ANY_POLICY, { policy: ANY_POLICY, expected: [ANY_POLICY], parents: [] }]]);
}

/** Returns an upper bound for the steps that the next depth takes. */
export function levelCost(level: PolicyLevel, policies: number): number {
  let cost = level.size + policies;
  for (const { expected } of level.values()) cost += expected.length;
  return cost;
}

/**
 * Returns the nodes for a certificate's certificatePolicies (RFC 5280 §6.1.3 (d), as changed by RFC 9618
 * §5.3). `anyAllowed` says whether anyPolicy in the certificate matches other policies.
 */
export function nextLevel(
  level: PolicyLevel,
  policies: readonly string[],
  { anyAllowed }: { anyAllowed: boolean },
): PolicyLevel {
  const parents = nodesByExpectedPolicy(level);
  const anyNode = level.get(ANY_POLICY);
  const next: PolicyLevel = new Map();
  // (d)(1): policies other than anyPolicy are (i) under the nodes that expect them, or else (ii) under
  // anyPolicy.
  for (const policy of policies) {
    if (policy === ANY_POLICY) continue;
    const matching = parents.get(policy) ?? (anyNode === undefined ? [] : [anyNode]);
    if (matching.length > 0) next.set(policy, { policy, expected: [policy], parents: matching });
  }
  // (d)(2): anyPolicy continues every expected policy that the certificate does not name.
  if (!anyAllowed || !policies.includes(ANY_POLICY)) return next;
  for (const [policy, matching] of parents) {
    if (!next.has(policy)) next.set(policy, { policy, expected: [policy], parents: matching });
  }
  return next;
}

function nodesByExpectedPolicy(level: PolicyLevel): Map<string, PolicyNode[]> {
  const nodes = new Map<string, PolicyNode[]>();
  for (const node of level.values()) {
    for (const policy of node.expected) {
      const same = nodes.get(policy);
      if (same === undefined) nodes.set(policy, [node]);
      else same.push(node);
    }
  }
  return nodes;
}
