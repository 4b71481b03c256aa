/**
 * The filter language: one tree for query parameters, permission constraints, GraphQL filters and webhook
 * conditions. Parsed against a {@link FieldMap}, checked when parsed, compiled to SQL in `compile.ts` only.
 */

/** How a field is compared. Names are NetBox's suffixes; `in` is several values of `exact`. */
export type FilterOperator =
  | "exact" // equal; several values are OR (not: none of them)
  | "iexact"
  | "contains" // case-sensitive
  | "icontains"
  | "startswith"
  | "istartswith"
  | "endswith"
  | "iendswith"
  | "lt"
  | "lte"
  | "gt"
  | "gte"
  | "empty" // value true | false
  | "isnull" // value true | false
  | "regex"
  | "iregex";

/** Placeholder of the acting user's id, resolved when the condition is compiled: `"$user"` in a constraint. */
export interface UserPlaceholder {
  readonly placeholder: "user";
}

/** The only {@link UserPlaceholder}. */
export const CURRENT_USER: UserPlaceholder = Object.freeze({ placeholder: "user" });

/**
 * A parsed value: text, number (also datetimes, in ms), boolean, null for "is null", or the acting user's id. On a
 * reference or a many-relation a number is the target's id and a text one of its keys.
 */
export type FilterValue = string | number | boolean | null | UserPlaceholder;

/** One comparison; several values are OR, or AND for a repeated `tag` (the parser makes one term per value). */
export interface Comparison {
  readonly kind: "compare";
  /** Field names, starting from the root map: `["tenant", "name"]`. */
  readonly path: readonly string[];
  readonly operator: FilterOperator;
  readonly values: readonly FilterValue[];
  readonly negated: boolean;
}

/** A condition on the rows of one field map. An empty `and` is true, an empty `or` is false. */
export type Condition =
  | Comparison
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] }
  | { readonly kind: "not"; readonly term: Condition }
  | { readonly kind: "search"; readonly text: string };

/** Matches every row. */
export const EVERYTHING: Condition = { kind: "and", terms: [] };
/** Matches no row. */
export const NOTHING: Condition = { kind: "or", terms: [] };

/** One key of an ordering: a sortable field of the root map. */
export interface OrderKey {
  readonly field: string;
  readonly descending: boolean;
}
