/** Certificate policy processing of one path (RFC 5280 §6.1.2–§6.1.6, as changed by RFC 9618). */

import type { Certificate, ExtensionValues } from "../../types.ts";
import type { PoolCertificate } from "../certificate_pool.ts";
import type { PathFailure } from "../types.ts";
import { ANY_POLICY, NO_POLICIES, type PolicyInputs, type PolicyOutcome, type PolicySets } from "./types.ts";

/** A node of the graph; qualifiers are not kept. */
interface PolicyNode {
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
type PolicyLevel = Map<string, PolicyNode>;

/** Returns the graph before the first certificate: anyPolicy at depth 0 (RFC 5280 §6.1.2 (a)). */
function initialLevel(): PolicyLevel {
  return new Map([[ANY_POLICY, { policy: ANY_POLICY, expected: [ANY_POLICY], parents: [] }]]);
}

/** Returns an upper bound for the steps that the next depth takes. */
function levelCost(level: PolicyLevel, policies: number): number {
  let cost = level.size + policies;
  for (const { expected } of level.values()) cost += expected.length;
  return cost;
}

/**
 * Returns the nodes for a certificate's certificatePolicies (RFC 5280 §6.1.3 (d), as changed by RFC 9618
 * §5.3). `anyAllowed` says whether anyPolicy in the certificate matches other policies.
 */
function nextLevel(
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

/** State variables (RFC 5280 §6.1.2 (a), (d), (e), (f)). */
interface State {
  level: PolicyLevel;
  explicitPolicy: number;
  policyMapping: number;
  inhibitAnyPolicy: number;
}

/** Returns whether nothing is asserted or required, so that policies need no processing. */
export function hasNoPolicies(
  members: readonly PoolCertificate[],
  { requireExplicit }: PolicyInputs,
): boolean {
  return !requireExplicit && members.length > 0 &&
    members.every(({ certificate }) =>
      certificate.certificatePolicies === undefined && certificate.policyMappings === undefined &&
      certificate.policyConstraints === undefined && certificate.inhibitAnyPolicy === undefined
    );
}

/**
 * Processes the policies of a path without its trust anchor, leaf first. `spend` takes steps and returns
 * false if none are left. The outcome is then a failure with the code `limit`.
 */
export function processPolicies(
  members: readonly PoolCertificate[],
  { inputs, spend }: { inputs: PolicyInputs; spend: (steps: number) => boolean },
): PolicyOutcome {
  const count = members.length;
  const state: State = {
    level: initialLevel(),
    explicitPolicy: inputs.requireExplicit ? 0 : count + 1,
    policyMapping: inputs.inhibitMapping ? 0 : count + 1,
    inhibitAnyPolicy: inputs.inhibitAny ? 0 : count + 1,
  };
  for (let position = count; position >= 1; position--) {
    const { certificate, selfIssued } = members[position - 1]!;
    const failure = checkPolicies(state, { certificate, selfIssued, isLeaf: position === 1, spend });
    if (failure !== undefined) return failed({ ...failure, position });
  }
  return wrapUp(state, { leaf: members[0]?.certificate, inputs });
}

type Problem = Omit<PathFailure, "position">;

/** Processes one certificate (§6.1.3 (d)–(f)), and prepares for the next one (§6.1.4). */
function checkPolicies(
  state: State,
  { certificate, selfIssued, isLeaf, spend }: {
    certificate: Certificate;
    selfIssued: boolean;
    isLeaf: boolean;
    spend: (steps: number) => boolean;
  },
): Problem | undefined {
  const { certificatePolicies, policyMappings = [] } = certificate;
  const policies = certificatePolicies?.map(({ oid }) => oid) ?? [];
  if (!spend(levelCost(state.level, policies.length) + policyMappings.length)) return LIMIT;
  // (d), (e): the graph is NULL after a certificate without certificatePolicies.
  state.level = nextLevel(state.level, policies, {
    anyAllowed: state.inhibitAnyPolicy > 0 || (!isLeaf && selfIssued),
  });
  if (state.explicitPolicy === 0 && state.level.size === 0) return NO_VALID_POLICY;
  if (isLeaf) return undefined;
  if (mapsAnyPolicy(policyMappings)) return MAPS_ANY_POLICY;
  applyMappings(state.level, policyMappings, { allowed: state.policyMapping > 0 });
  updateCounters(state, { certificate, selfIssued });
  return undefined;
}

/** Decrements the counters, and lowers them to those of the certificate (§6.1.4 (h)–(j)). */
function updateCounters(
  state: State,
  { certificate, selfIssued }: { certificate: Certificate; selfIssued: boolean },
): void {
  const { policyConstraints, inhibitAnyPolicy = Infinity } = certificate;
  const { requireExplicitPolicy = Infinity, inhibitPolicyMapping = Infinity } = policyConstraints ?? {};
  const step = selfIssued ? 0 : 1;
  state.explicitPolicy = Math.min(Math.max(state.explicitPolicy - step, 0), requireExplicitPolicy);
  state.policyMapping = Math.min(Math.max(state.policyMapping - step, 0), inhibitPolicyMapping);
  state.inhibitAnyPolicy = Math.min(Math.max(state.inhibitAnyPolicy - step, 0), inhibitAnyPolicy);
}

/** Wraps up (§6.1.5 (a), (b), (g)). */
function wrapUp(
  { explicitPolicy, level }: State,
  { leaf, inputs }: { leaf: Certificate | undefined; inputs: PolicyInputs },
): PolicyOutcome {
  const required = explicitPolicy <= 1 || leaf?.policyConstraints?.requireExplicitPolicy === 0;
  const policies = constrainedSets(level, inputs.initialPolicies);
  if (required && policies.user.length === 0) return failed({ ...NO_ACCEPTABLE_POLICY, position: 1 });
  return { policies, failures: [] };
}

const NO_VALID_POLICY: Problem = {
  code: "policy_violation",
  sentence: "has no certificate policy that is valid on this path, but the path requires one",
  citation: "RFC 5280 §6.1.3 (f)",
};
const MAPS_ANY_POLICY: Problem = {
  code: "policy_violation",
  sentence: "maps anyPolicy in its policyMappings",
  citation: "RFC 5280 §6.1.4 (a)",
};
const NO_ACCEPTABLE_POLICY: Problem = {
  code: "policy_violation",
  sentence: "has no certificate policy that is acceptable, but the path requires one",
  citation: "RFC 5280 §6.1.5 (g)",
};
const LIMIT: Problem = {
  code: "limit",
  sentence: "has more certificate policies and mappings than can be processed",
  citation: "RFC 9618 §3",
};

function failed(failure: PathFailure): PolicyOutcome {
  return { policies: NO_POLICIES, failures: [failure] };
}

/** Returns the constrained sets of a graph, given its nodes at the depth of the last certificate. */
function constrainedSets(level: PolicyLevel, initialPolicies: readonly string[]): PolicySets {
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

/** policyMappings as read from a certificate. */
type PolicyMappings = NonNullable<ExtensionValues["policyMappings"]>;

/** Returns whether anyPolicy is mapped to or from, which §6.1.4 (a) forbids. */
function mapsAnyPolicy(mappings: PolicyMappings): boolean {
  return mappings.some(({ issuerDomain, subjectDomain }) =>
    issuerDomain === ANY_POLICY || subjectDomain === ANY_POLICY
  );
}

/**
 * Applies mappings to the nodes of the certificate's depth (§6.1.4 (b)). `allowed` says whether
 * policy_mapping > 0.
 */
function applyMappings(
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
