/**
 * The filter language: one syntax tree for query parameters, permission constraints, GraphQL filters and
 * webhook conditions. It is parsed against a {@link FieldMap}, checked when it is parsed, and compiled to SQL
 * only in `compile.ts`.
 */

/** How a field is compared. The names are NetBox's suffixes; `in` is `exact` with several values. */
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

/**
 * Placeholder for the acting user's id (`"$user"` in a constraint), which is replaced when the condition is
 * compiled.
 */
export interface UserPlaceholder {
  readonly placeholder: "user";
}

/** The only {@link UserPlaceholder}. */
export const CURRENT_USER: UserPlaceholder = Object.freeze({ placeholder: "user" });

/**
 * A parsed value: text, number (also for datetimes, in milliseconds), boolean, null for "is null", or the
 * acting user's id. For a reference or a many-relation, a number is the target's id and a text is one of its
 * keys.
 */
export type FilterValue = string | number | boolean | null | UserPlaceholder;

/**
 * A comparison. Several values are OR. For a repeated `tag` they are AND: the parser creates one comparison
 * per value.
 */
export interface Comparison {
  readonly kind: "compare";
  /** Field names, starting from the root map: `["tenant", "name"]`. */
  readonly path: readonly string[];
  readonly operator: FilterOperator;
  readonly values: readonly FilterValue[];
  readonly negated: boolean;
}

/** A condition on the rows of a field map. An empty `and` is true, an empty `or` is false. */
export type Condition =
  | Comparison
  | { readonly kind: "and" | "or"; readonly terms: readonly Condition[] }
  | { readonly kind: "not"; readonly term: Condition }
  | { readonly kind: "search"; readonly text: string };

/** Matches every row. */
export const EVERYTHING: Condition = { kind: "and", terms: [] };
/** Matches no row. */
export const NOTHING: Condition = { kind: "or", terms: [] };

/** A key of an ordering: a sortable field of the root map. */
export interface OrderKey {
  readonly field: string;
  readonly descending: boolean;
}
