/** Puts lookups together, folding what is always true or always false. */

import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";

/** Whether a lookup says in its form that it matches every row. */
export function isEverything(lookup: Condition): boolean {
  return lookup.kind === "and" && lookup.terms.length === 0;
}

/** Whether a lookup says in its form that it matches no row. */
export function isNothing(lookup: Condition): boolean {
  return lookup.kind === "or" && lookup.terms.length === 0;
}

/** Rows that match all of `lookups`; of none of them, every row. */
export function and(...lookups: readonly Condition[]): Condition {
  const terms = lookups.flatMap((lookup) => lookup.kind === "and" ? lookup.terms : [lookup]);
  if (terms.some(isNothing)) return NOTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? EVERYTHING : { kind: "and", terms };
}

/** Rows that match one of `lookups`; of none of them, no row. */
export function or(...lookups: readonly Condition[]): Condition {
  const terms = lookups.flatMap((lookup) => lookup.kind === "or" ? lookup.terms : [lookup]);
  if (terms.some(isEverything)) return EVERYTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? NOTHING : { kind: "or", terms };
}

/** Rows that do not match `lookup`, those included for which it is unknown (a null). */
export function not(lookup: Condition): Condition {
  if (isEverything(lookup)) return NOTHING;
  if (isNothing(lookup)) return EVERYTHING;
  return lookup.kind === "not" ? lookup.term : { kind: "not", term: lookup };
}
