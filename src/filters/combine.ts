/** Combines conditions and simplifies those that are always true or always false. */

import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";

/** Whether a condition is the constant {@link EVERYTHING}. */
export function isEverything(condition: Condition): boolean {
  return condition.kind === "and" && condition.terms.length === 0;
}

/** Whether a condition is the constant {@link NOTHING}. */
export function isNothing(condition: Condition): boolean {
  return condition.kind === "or" && condition.terms.length === 0;
}

/** Returns the conjunction of conditions; without any, {@link EVERYTHING}. */
export function and(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "and" ? condition.terms : [condition]);
  if (terms.some(isNothing)) return NOTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? EVERYTHING : { kind: "and", terms };
}

/** Returns the disjunction of conditions; without any, {@link NOTHING}. */
export function or(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "or" ? condition.terms : [condition]);
  if (terms.some(isEverything)) return EVERYTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? NOTHING : { kind: "or", terms };
}

/** Returns the negation of a condition. It also matches rows for which the condition is unknown (null). */
export function not(condition: Condition): Condition {
  if (isEverything(condition)) return NOTHING;
  if (isNothing(condition)) return EVERYTHING;
  return condition.kind === "not" ? condition.term : { kind: "not", term: condition };
}
