/** Inputs and outputs of certificate policy processing (RFC 5280 §6.1.1 (c)–(g), §6.1.6). */

import type { PathFailure } from "../types.ts";

/** The special policy that matches every policy (RFC 5280 §4.2.1.4). */
export const ANY_POLICY = "2.5.29.32.0";

/** The caller's initial inputs (RFC 5280 §6.1.1 (c), (e), (f), (g)). */
export interface PolicyInputs {
  /**
   * user-initial-policy-set: OIDs of the policies that the caller accepts; {@link ANY_POLICY} accepts all.
   */
  readonly initialPolicies: readonly string[];
  /** initial-explicit-policy: the path must be valid for one of the initial policies. */
  readonly requireExplicit: boolean;
  /** initial-policy-mapping-inhibit. */
  readonly inhibitMapping: boolean;
  /** initial-any-policy-inhibit. */
  readonly inhibitAny: boolean;
}

/** Inputs that accept every policy and require none. */
export const DEFAULT_POLICY_INPUTS: PolicyInputs = {
  initialPolicies: [ANY_POLICY],
  requireExplicit: false,
  inhibitMapping: false,
  inhibitAny: false,
};

/** Outputs of a path, as sorted OIDs in the policy domain of the trust anchor (RFC 9618 §5.5, §5.6). */
export interface PolicySets {
  /** authority_constrained_policy_set. */
  readonly authority: readonly string[];
  /** user_constrained_policy_set. */
  readonly user: readonly string[];
}

/** No policies: the path does not end in an anchor, or policy processing failed. */
export const NO_POLICIES: PolicySets = { authority: [], user: [] };

/** Result of policy processing. */
export interface PolicyOutcome {
  readonly policies: PolicySets;
  readonly failures: readonly PathFailure[];
}
