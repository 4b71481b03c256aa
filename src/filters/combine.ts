/** Puts conditions together, folding what is always true or always false. */

import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";

/** Whether a condition says in its form that it matches every row. */
export function isEverything(condition: Condition): boolean {
  return condition.kind === "and" && condition.terms.length === 0;
}

/** Whether a condition says in its form that it matches no row. */
export function isNothing(condition: Condition): boolean {
  return condition.kind === "or" && condition.terms.length === 0;
}

/** Rows that match all of `conditions`; of none of them, every row. */
export function and(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "and" ? condition.terms : [condition]);
  if (terms.some(isNothing)) return NOTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? EVERYTHING : { kind: "and", terms };
}

/** Rows that match one of `conditions`; of none of them, no row. */
export function or(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "or" ? condition.terms : [condition]);
  if (terms.some(isEverything)) return EVERYTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? NOTHING : { kind: "or", terms };
}

/** Rows that do not match `condition`, those included for which it is unknown (a null). */
export function not(condition: Condition): Condition {
  if (isEverything(condition)) return NOTHING;
  if (isNothing(condition)) return EVERYTHING;
  return condition.kind === "not" ? condition.term : { kind: "not", term: condition };
}
