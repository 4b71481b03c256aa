/** What one validation may cost. Each limit is far above what real chains need; reaching one is a verdict. */

/** Budgets of one validation. */
export interface ChainLimits {
  /** Certificates that came with the leaf, duplicates not counted. */
  readonly pool: number;
  /** Certificates of a path, leaf and top included; the public web has 5 at the most. */
  readonly path: number;
  /** Signature checks; each pair of child and issuer's key is checked once. */
  readonly signatureChecks: number;
  /** Microseconds of signature checks, by the measured cost of each algorithm: large keys use up the checks faster. */
  readonly signatureMicros: number;
  /** Certificates put onto a path, in all searches together (a failing chain is searched up to five times). */
  readonly nodes: number;
  /** Comparisons of a name with a constraint. */
  readonly nameComparisons: number;
}

/** The limits that hold unless the caller narrows them. Together they keep a crafted input below 250 ms. */
export const CHAIN_LIMITS: ChainLimits = {
  pool: 100,
  path: 12,
  signatureChecks: 150,
  signatureMicros: 100_000,
  nodes: 400,
  nameComparisons: 250_000,
};

/** Limits that are used up while a validation runs. */
export type Spendable = Exclude<keyof ChainLimits, "pool">;

/** Keeps count of one validation's use. */
export class Budget {
  readonly limits: ChainLimits;
  readonly #spent: Record<Spendable, number> = {
    path: 0,
    signatureChecks: 0,
    signatureMicros: 0,
    nodes: 0,
    nameComparisons: 0,
  };
  readonly #exhausted = new Set<Spendable>();

  constructor(limits: ChainLimits) {
    this.limits = limits;
  }

  /** Whether there is enough left; if so it is spent, if not the limit counts as reached. */
  spend(limit: Spendable, amount = 1): boolean {
    if (this.#spent[limit] + amount > this.limits[limit]) return this.exhaust(limit);
    this.#spent[limit] += amount;
    return true;
  }

  /** Notes that a limit was reached; always false. */
  exhaust(limit: Spendable): false {
    this.#exhausted.add(limit);
    return false;
  }

  /** What has been spent so far. */
  get spent(): Readonly<Record<Spendable, number>> {
    return this.#spent;
  }

  /** The limits that were reached. */
  get exhausted(): ReadonlySet<Spendable> {
    return this.#exhausted;
  }
}
