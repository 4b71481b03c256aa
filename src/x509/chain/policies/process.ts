/** Certificate policy processing of one path (RFC 5280 §6.1.2–§6.1.6, as changed by RFC 9618). */

import type { Certificate } from "../../types.ts";
import type { PoolCertificate } from "../certificate_pool.ts";
import type { PathFailure } from "../types.ts";
import { constrainedSets } from "./constrained_sets.ts";
import { initialLevel, levelCost, nextLevel, type PolicyLevel } from "./graph.ts";
import { applyMappings, mapsAnyPolicy } from "./mappings.ts";
import { NO_POLICIES, type PolicyInputs, type PolicyOutcome } from "./types.ts";

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
