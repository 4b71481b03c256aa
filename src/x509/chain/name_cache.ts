/**
 * Caches the name constraint checks of a validation: each pair of certificates is compared once, within the
 * budget.
 */

import type { Budget } from "./limits.ts";
import { type NameRefusal, refusedName } from "./names/check.ts";
import { type Constraints, readConstraints } from "./names/constraints.ts";
import { readSubjectNames, type SubjectName } from "./names/subject_names.ts";
import type { PoolCertificate } from "./certificate_pool.ts";

/** Compares names and caches the results. */
export class NameCache {
  readonly #budget: Budget;
  readonly #constraints = new Map<number, Constraints | undefined>();
  readonly #names = new Map<number, readonly SubjectName[]>();
  readonly #refusals = new Map<string, NameRefusal | undefined>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Returns the constraints of a certificate; undefined if it has none. */
  constraintsOf({ id, certificate: { nameConstraints } }: PoolCertificate): Constraints | undefined {
    if (nameConstraints === undefined) return undefined;
    return remembered(this.#constraints, id, () => readConstraints(nameConstraints));
  }

  /**
   * Returns why the constraints of `issuer` refuse a name of `subject`; undefined if they permit all names.
   */
  refusal(issuer: PoolCertificate, subject: PoolCertificate): NameRefusal | undefined {
    const constraints = this.constraintsOf(issuer);
    if (constraints === undefined) return undefined;
    return remembered(this.#refusals, `${issuer.id} ${subject.id}`, () => {
      const names = remembered(this.#names, subject.id, () => readSubjectNames(subject.certificate));
      const spend = (comparisons: number): boolean => this.#budget.spend("nameComparisons", comparisons);
      return refusedName(names, { constraints, spend });
    });
  }
}

/** Returns the value of a key, which is computed at the first call. */
function remembered<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!map.has(key)) map.set(key, make());
  return map.get(key) as Value;
}
