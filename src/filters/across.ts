/** A lookup on the rows of one resource, moved to those that refer to them. */

import type { Condition } from "./ast.ts";

/**
 * What holds of the rows that refer, through `relation`, to rows that fulfil `lookup`. The relation must be one that
 * is never null: otherwise a negation would hold of rows that refer to nothing.
 */
export function across(relation: string, lookup: Condition): Condition {
  switch (lookup.kind) {
    case "and":
    case "or":
      return { ...lookup, terms: lookup.terms.map((term) => across(relation, term)) };
    case "not":
      return { ...lookup, term: across(relation, lookup.term) };
    case "compare":
      return { ...lookup, path: [relation, ...lookup.path] };
    case "search":
      throw new Error(`A search cannot be moved across "${relation}", want comparisons`);
  }
}
