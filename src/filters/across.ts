/** Conditions across a relation. */

import type { Condition } from "./ast.ts";

/**
 * Returns the condition of rows that refer through `relation` to rows that match `condition`. The relation must not be
 * nullable: otherwise a negation would match rows that refer to nothing.
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
