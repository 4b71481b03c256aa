/** A condition on the rows of one resource, moved to those that refer to them. */

import type { Condition } from "./ast.ts";

/**
 * What holds of the rows that refer, through `relation`, to rows that fulfil `condition`. The relation must be one that
 * is never null: otherwise a negation would hold of rows that refer to nothing.
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
      throw new Error(`A search cannot be moved across "${relation}", want comparisons`);
  }
}
