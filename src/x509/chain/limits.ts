/**
 * Limits of a validation. Each is far above what real chains need. A validation that reaches one still has a
 * result.
 */

/** Budgets of a validation. */
export interface ChainLimits {
  /** Certificates that came with the leaf, without duplicates. */
  readonly pool: number;
  /**
   * Certificates of a path, including the leaf and the anchor. The public web has at most 5, bridge CAs a few
   * more.
   */
  readonly path: number;
  /** Signature checks; each pair of child and issuer's key is checked once. */
  readonly signatureChecks: number;
  /**
   * Microseconds of signature checks, by the measured cost of each algorithm, because checks with large keys
   * take longer.
   */
  readonly signatureMicros: number;
  /**
   * Certificates that all searches together append to a path (a failing chain is searched up to five times).
   */
  readonly nodes: number;
  /** Comparisons of a name with a constraint. */
  readonly nameComparisons: number;
  /** Nodes, expected policies and mappings of the policy graphs of all paths together. */
  readonly policySteps: number;
}

/** Default limits. Together they keep a crafted input below 250 ms. */
export const CHAIN_LIMITS: ChainLimits = {
  pool: 100,
  path: 20,
  signatureChecks: 150,
  signatureMicros: 100_000,
  nodes: 400,
  nameComparisons: 250_000,
  policySteps: 100_000,
};

/** Limits that are consumed while a validation runs. */
export type ConsumedLimit = Exclude<keyof ChainLimits, "pool">;

/** Counts the work of one validation. */
export class Budget {
  readonly limits: ChainLimits;
  readonly #spent: Record<ConsumedLimit, number> = {
    path: 0,
    signatureChecks: 0,
    signatureMicros: 0,
    nodes: 0,
    nameComparisons: 0,
    policySteps: 0,
  };
  readonly #exhausted = new Set<ConsumedLimit>();

  constructor(limits: ChainLimits) {
    this.limits = limits;
  }

  /**
   * Spends `amount` and returns true. If too little is left, marks the limit as reached and returns false.
   */
  spend(limit: ConsumedLimit, amount = 1): boolean {
    if (this.#spent[limit] + amount > this.limits[limit]) return this.exhaust(limit);
    this.#spent[limit] += amount;
    return true;
  }

  /** Marks a limit as reached. Returns false. */
  exhaust(limit: ConsumedLimit): false {
    this.#exhausted.add(limit);
    return false;
  }

  /** Returns the limits that were reached. */
  get exhausted(): ReadonlySet<ConsumedLimit> {
    return this.#exhausted;
  }
}
