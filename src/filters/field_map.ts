/** What may be filtered, sorted and constrained of one resource; what is not in its map cannot be. */

import type { SQL } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";

/** The fields of one resource by wire name. Made by the resource kit from a resource's definition. */
export interface FieldMap {
  /** `certmgr.certificate`: also the key by which the caller's view of a related resource is asked for. */
  readonly objectType: string;
  /** Table name in SQL; its key column is `id`. */
  readonly table: string;
  readonly fields: Readonly<Record<string, FilterField>>;
  /** The reference, never null, whose row must be visible too for a row of this resource to be there at all. */
  readonly within?: string;
  /** The condition of `q`, on the table under `alias`; absent when the resource has no search. */
  readonly search?: (text: string, alias: string) => SQL;
}

interface ColumnField {
  /** Column name in the resource's table. */
  readonly column: string;
  readonly nullable: boolean;
  readonly sortable: boolean;
  /** The operator of the bare name: `exact` unless said otherwise. */
  readonly defaultOperator?: DefaultOperator;
}

/** What a bare text name may mean. */
export type DefaultOperator = "exact" | "iexact" | "contains" | "icontains";

/** How one field is compared. */
export type FilterField =
  /** Text. `indexed` names a trigram index (FTS5 table and column, rowid = id) that narrows contains-searches. */
  | ColumnField & {
    readonly kind: "text";
    readonly indexed?: { readonly table: string; readonly column: string };
  }
  /**
   * Hex digits; values are compared without colons, in lower case. `column` holds the plain lower-case form;
   * `number: true` also drops leading zeros (serial numbers compare as numbers).
   */
  | ColumnField & { readonly kind: "hex"; readonly number?: boolean }
  | ColumnField & { readonly kind: "integer" | "boolean" | "datetime" }
  /** Text out of a closed list; other values are refused. */
  | ColumnField & { readonly kind: "choice"; readonly choices: readonly string[] }
  /**
   * A reference to one row of another resource. `name_id` compares the id; `name` compares one of the target's
   * `keys` (slug or name; exact); `name__field` crosses over.
   */
  | ColumnField & {
    readonly kind: "reference";
    readonly target: () => FieldMap;
    readonly keys: readonly string[];
  }
  /**
   * Rows of another resource joined to this one (tags, groups): `name` compares one of the target's `keys`,
   * `name_id` the id, `name__field` crosses over.
   * A repeated value is AND.
   */
  | {
    readonly kind: "many";
    readonly target: () => FieldMap;
    readonly keys: readonly string[];
    /** A second name with the same meaning: `tags`, as constraints have it, beside the parameter `tag`. */
    readonly plural?: string;
    /** Each row has one target at the most, so a repeated value is OR. */
    readonly single?: boolean;
    /**
     * Subquery that gives the ids of this resource's rows linked to the target rows that `targets` (a subquery of
     * ids) gives. Both are bare `SELECT`s without parentheses round them: `IN ((SELECT …))` would compare with
     * the first row only.
     */
    readonly ids: (targets: SQL) => SQL;
  }
  /**
   * Text values of a side table (SANs). `ids` gives this resource's ids (a bare `SELECT`, no parentheses round it)
   * whose value fulfils `condition` on the column it is handed. With `indexed` (rowid = this resource's id), `owner`
   * is the side table's column that holds that id: it lets the index narrow the search.
   */
  | {
    readonly kind: "values";
    readonly defaultOperator?: DefaultOperator;
    readonly ids: (condition: (column: SQL, owner?: SQL) => SQL) => SQL;
    readonly indexed?: { readonly table: string; readonly column: string };
    /**
     * The side table, its text column, and its column with this resource's id (without which a regular expression
     * is tried on the values of all rows). Without a source the regex operators are not offered.
     */
    readonly source?: { readonly table: string; readonly column: string; readonly owner?: string };
  }
  /** A condition of its own: derived booleans and choices (`has_assignments`, `expiry_status`). Only the bare name. */
  | {
    readonly kind: "predicate";
    readonly type: "boolean" | "choice" | "integer";
    readonly choices?: readonly string[];
    readonly condition: (value: string | number | boolean, context: PredicateContext) => SQL;
  };

/**
 * The condition under which the caller may view rows of an object type, on its table under an alias; undefined when no
 * row is hidden.
 */
export type ViewRestriction = (objectType: string, alias: string) => SQL | undefined;

/** What a predicate may know. */
export interface PredicateContext {
  /** The alias of the resource's table in the statement. */
  readonly alias: string;
  readonly now: Millis;
  /** Days up to which a certificate is critical, and warned of. */
  readonly thresholds: { readonly criticalDays: number; readonly warningDays: number };
  /** Of other tables a condition reads only these rows. Hides nothing in constraints, which cross freely. */
  readonly shown: ViewRestriction;
}
