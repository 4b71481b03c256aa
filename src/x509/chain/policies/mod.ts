/** Certificate policies of complete and open paths, each path processed once per validation. */

import type { PoolCertificate } from "../certificate_pool.ts";
import type { Budget } from "../limits.ts";
import { hasNoPolicies, processPolicies } from "./process.ts";
import { NO_POLICIES, type PolicyInputs, type PolicyOutcome } from "./types.ts";

export {
  ANY_POLICY,
  DEFAULT_POLICY_INPUTS,
  NO_POLICIES,
  type PolicyInputs,
  type PolicySets,
} from "./types.ts";

/** The outcome for a path without policy extensions. */
const TRIVIAL: PolicyOutcome = { policies: NO_POLICIES, failures: [] };

/** Processes policies and caches the outcomes. */
export class PolicyCache {
  readonly #inputs: PolicyInputs;
  readonly #budget: Budget;
  readonly #outcomes = new Map<string, PolicyOutcome>();

  constructor(inputs: PolicyInputs, budget: Budget) {
    this.#inputs = inputs;
    this.#budget = budget;
  }

  /**
   * Returns the outcome of a path, leaf first. The extensions of a trust anchor at its end are ignored (RFC
   * 5280 §6.1). If the root is missing (`anchored: false`), the last certificate is processed as if a trust
   * anchor had issued it.
   */
  outcome(path: readonly PoolCertificate[], { anchored }: { anchored: boolean }): PolicyOutcome {
    const members = anchored ? path.slice(0, -1) : path;
    if (hasNoPolicies(members, this.#inputs)) return TRIVIAL;
    const key = members.map(({ id }) => id).join(" ");
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    const spend = (steps: number): boolean => this.#budget.spend("policySteps", steps);
    const outcome = processPolicies(members, { inputs: this.#inputs, spend });
    this.#outcomes.set(key, outcome);
    return outcome;
  }
}
