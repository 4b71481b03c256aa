/** Combines conditions and simplifies those that are always true or always false. */

import {
  type Comparison,
  type Condition,
  EVERYTHING,
  type FilterOperator,
  type FilterValue,
  NOTHING,
} from "./ast.ts";

/** Returns whether a condition is the constant {@link EVERYTHING}. */
export function isEverything(condition: Condition): boolean {
  return condition.kind === "and" && condition.terms.length === 0;
}

/** Returns whether a condition is the constant {@link NOTHING}. */
export function matchesNothing(condition: Condition): boolean {
  return condition.kind === "or" && condition.terms.length === 0;
}

/** Returns the condition that compares a field of the resource itself. */
export function compare(name: string, operator: FilterOperator, values: readonly FilterValue[]): Comparison {
  return { kind: "compare", path: [name], operator, values, negated: false };
}

/** Returns the conjunction of conditions, or {@link EVERYTHING} if there are none. */
export function and(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "and" ? condition.terms : [condition]);
  if (terms.some(matchesNothing)) return NOTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? EVERYTHING : { kind: "and", terms };
}

/** Returns the disjunction of conditions, or {@link NOTHING} if there are none. */
export function or(...conditions: readonly Condition[]): Condition {
  const terms = conditions.flatMap((condition) => condition.kind === "or" ? condition.terms : [condition]);
  if (terms.some(isEverything)) return EVERYTHING;
  return terms.length === 1 ? terms[0]! : terms.length === 0 ? NOTHING : { kind: "or", terms };
}

/** Returns the negation of a condition. It also matches rows for which the condition is unknown (null). */
export function not(condition: Condition): Condition {
  if (isEverything(condition)) return NOTHING;
  if (matchesNothing(condition)) return EVERYTHING;
  return condition.kind === "not" ? condition.term : { kind: "not", term: condition };
}

/**
 * Returns the disjunction of conditions, without repeated alternatives, and with one comparison for all
 * values with which a field is compared for equality. Returns undefined if more than `max` comparisons
 * remain, and then reads no more of `conditions`.
 */
export function mergeAlternatives(
  conditions: Iterable<Condition>,
  { max }: { max: number },
): Condition | undefined {
  const equalities = new Map<string, { first: Comparison; values: Set<FilterValue> }>();
  const others = new Map<string, Condition>();
  let count = 0;
  for (const condition of conditions) {
    if (isEverything(condition)) return condition;
    for (const term of condition.kind === "or" ? condition.terms : [condition]) {
      const merged = term.kind === "compare" && term.operator === "exact" && !term.negated;
      const key = JSON.stringify(merged ? term.path : term);
      if (merged) {
        const known = equalities.get(key);
        if (known === undefined) equalities.set(key, { first: term, values: new Set(term.values) });
        else for (const value of term.values) known.values.add(value);
        count += known === undefined ? 1 : 0;
      } else if (!others.has(key)) {
        others.set(key, term);
        count += countComparisons(term);
      }
      if (count > max) return undefined;
    }
  }
  const equal = Array.from(
    equalities.values(),
    ({ first, values }): Comparison => ({ ...first, values: [...values] }),
  );
  return or(...equal, ...others.values());
}

/**
 * Returns the condition for rows that refer through `relation` to rows that match `condition`. The relation
 * must not be nullable, because otherwise a negation would match rows that refer to nothing.
 */
export function across(relation: string, condition: Condition): Condition {
  switch (condition.kind) {
    case "and":
    case "or":
      return { ...condition, terms: condition.terms.map((term) => across(relation, term)) };
    case "not":
      return { ...condition, term: across(relation, condition.term) };
    case "compare":
      return { ...condition, path: [relation, ...condition.path] };
    case "search":
      throw new Error(`Cannot search across "${relation}". Use comparisons.`);
  }
}

/**
 * Returns the number of comparisons. Each value of a text search counts, because it is compared with every
 * row.
 */
export function countComparisons(condition: Condition): number {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.terms.reduce((sum, term) => sum + countComparisons(term), 0);
    case "not":
      return countComparisons(condition.term);
    case "search":
      return 1;
    case "compare":
      return SINGLE.has(condition.operator) ? 1 : condition.values.length;
  }
}

/** Operators for which several values count as one comparison. */
const SINGLE: ReadonlySet<FilterOperator> = new Set(["exact", "lt", "lte", "gt", "gte", "empty", "isnull"]);

/** Returns the fields that a condition compares, each once, and `q` for a search. */
export function filterNamesOf(condition: Condition): string[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return [...new Set(condition.terms.flatMap(filterNamesOf))];
    case "not":
      return filterNamesOf(condition.term);
    case "search":
      return ["q"];
    case "compare":
      return [condition.path.join("__")];
  }
}
