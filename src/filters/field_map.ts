/**
 * The fields of a resource that can be filtered, sorted and used in constraints, and the names by which
 * filters refer to them: relations, a field and a suffix, joined by two underscores.
 */

import type { SQL } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import type { Condition, FilterOperator } from "./ast.ts";
import type { TextSearch } from "./compile_values.ts";
import { MAX_FILTER_DEPTH } from "./limits.ts";
import { suffixOn } from "./operators.ts";
import type { IndexedColumn } from "./text_patterns.ts";

/** The filterable fields of a resource by their names in the API, derived from its definition. */
export interface FieldMap {
  /** For example `certmgr.certificate`. */
  readonly objectType: string;
  /** Name of the table in SQL; its key column is `id`. */
  readonly table: string;
  readonly fields: Readonly<Record<string, FilterField>>;
  /** Returns the map with the fields that a database defines itself; see {@link mapIn}. */
  readonly extended?: (database: object) => FieldMap;
  /**
   * The non-nullable reference to the object of which a row is a part. A row is visible only if that object
   * is.
   */
  readonly within?: string;
  /** Returns the condition of `q` for the table with the alias; absent if the resource has no search. */
  readonly search?: (text: string, alias: string, search?: TextSearch) => SQL;
  /** Returns further conditions of `q`, of which one is sufficient. */
  readonly alsoFound?: (text: string) => readonly Condition[];
}

/** Returns a map with the fields that a database defines itself (custom fields). */
export function mapIn({ database }: { readonly database: object }, map: FieldMap): FieldMap {
  return map.extended?.(database) ?? map;
}

/** What is read from a row to compare a field. */
export interface ReadColumn {
  readonly column: string;
  readonly member?: string | undefined;
  readonly iso?: "date" | "datetime" | undefined;
  readonly shownAs?: ShownAs | undefined;
}

interface ColumnField {
  /** Column name in the resource's table. */
  readonly column: string;
  /** Name of a member, if the column contains a JSON object and the field is one of its members. */
  readonly member?: string;
  /** The form in which a date or datetime of a JSON member is stored; milliseconds by default. */
  readonly iso?: "date" | "datetime";
  readonly nullable: boolean;
  readonly sortable: boolean;
  /** The operator of a name without suffix; `exact` by default. */
  readonly defaultOperator?: DefaultOperator;
  /** Set if what the column shows depends on rows that the caller may not view. In constraints nothing is hidden. */
  readonly shownAs?: ShownAs;
}

/** Returns what a column shows the caller; undefined if that is the column itself. */
export type ShownAs = (alias: string, shown: ViewRestriction) => SQL | undefined;

/** Operators that a name without suffix may have. */
export type DefaultOperator = "exact" | "iexact" | "contains" | "icontains" | "lte" | "gte";

/** How a field is compared. */
export type FilterField =
  /**
   * Text. `indexed` is the trigram index that preselects rows for contains-searches.
   */
  | ColumnField & {
    readonly kind: "text";
    readonly indexed?: IndexedColumn;
  }
  /**
   * Hexadecimal digits. Values are compared without colons and in lower case. `column` contains the plain
   * lower-case form. `number: true` also ignores leading zeros (serial numbers compare as numbers).
   */
  | ColumnField & { readonly kind: "hex"; readonly number?: boolean }
  | ColumnField & { readonly kind: "integer" | "boolean" | "datetime"; readonly decimal?: true }
  /** Text from a fixed list; other values are refused. */
  | ColumnField & { readonly kind: "choice"; readonly choices: readonly string[] }
  /**
   * A reference to a row of another resource. `name_id` compares the id, `name` one of the target's `keys`
   * (slug or name; exactly), and `name__field` a field of the target.
   */
  | ColumnField & {
    readonly kind: "reference";
    readonly target: () => FieldMap;
    readonly keys: readonly string[];
  }
  /**
   * Rows of another resource that are joined to this one (tags, groups). `name` compares one of the target's
   * `keys`, `name_id` the id, and `name__field` a field of the target. Repeated values are AND.
   */
  | {
    readonly kind: "many";
    readonly target: () => FieldMap;
    readonly keys: readonly string[];
    /** A second name with the same meaning: constraints use `tags`, the parameter is `tag`. */
    readonly plural?: string;
    /** Repeated values are OR: a row has at most one target, or any of them is sufficient. */
    readonly anyOf?: boolean;
    /**
     * Returns a subquery for the ids of this resource's rows that are linked to the target rows in `targets`
     * (a subquery for ids). Both are `SELECT`s without parentheses, because `IN ((SELECT …))` would compare
     * with the first row only. `shown` restricts the linking rows if they are objects with permissions. In
     * constraints nothing is hidden.
     */
    readonly ids: (targets: SQL, shown?: ViewRestriction) => SQL;
  }
  /**
   * Text values of a side table (SANs). `ids` returns a `SELECT` (without parentheses) of this resource's ids
   * with a value that matches `condition` on the given column.
   */
  | {
    readonly kind: "values";
    readonly defaultOperator?: DefaultOperator;
    readonly ids: (condition: (column: SQL) => SQL) => SQL;
    /**
     * Column of this resource's table with the values of a row as a JSON list, for comparisons for which
     * `ids` has no index.
     */
    readonly list?: string;
    /** A trigram index of these values. Only together with `list`. */
    readonly indexed?: IndexedColumn;
    /**
     * The side table and its text column. Without it, regular expressions are not available. Without `list`,
     * they are matched against the values of all rows.
     */
    readonly source?: { readonly table: string; readonly column: string };
  }
  /**
   * A custom condition: derived booleans and choices (`has_assignments`, `expiry_status`). Only choices
   * have a suffix: `n`.
   */
  | {
    readonly kind: "predicate";
    readonly type: "boolean" | "choice" | "integer" | "datetime" | "string";
    readonly choices?: readonly string[];
    /** Whether there are more choices than these; `condition` refuses others. */
    readonly isOpen?: true;
    /** Whether choices are compared ignoring case. */
    readonly ignoreCase?: true;
    /** The name of a second filter, whose value follows each value here after `@`. */
    readonly qualifiedBy?: string;
    /** Returns the id of the related object that it compares, or null without one; absent if it compares no object. */
    readonly object?: (context: Pick<PredicateContext, "alias" | "shown">) => SQL;
    /** What it selects, for the API document; absent if the name and the values say it. */
    readonly description?: string;
    /** A method, so that a filter can name the type of its values: that of `type`. */
    condition(value: string | number | boolean, context: PredicateContext): SQL;
  };

/**
 * Returns the condition for the rows that the caller may view; undefined if no row is hidden. A resource that
 * cannot be imported here is given by its object type.
 */
export type ViewRestriction = (target: FieldMap | string, alias: string) => SQL | undefined;

/** The context in which a predicate is compiled. */
export interface PredicateContext {
  /** The alias of the resource's table in the statement. */
  readonly alias: string;
  readonly now: Millis;
  /** Days before the expiry from which a certificate is critical, or has a warning. */
  readonly thresholds: { readonly criticalDays: number; readonly warningDays: number };
  /** Dated rules for publicly trusted certificates. */
  readonly rules: readonly {
    readonly name: string;
    readonly applies_to: string;
    readonly organizations?: readonly string[] | undefined;
    readonly from: string;
    readonly max_days: number | null;
  }[];
  /** Restricts the rows of other tables that a predicate reads. In constraints nothing is hidden. */
  readonly shown: ViewRestriction;
  /** Whether this is the constraint of a permission, which others must not be able to make true. */
  readonly isConstraint: boolean;
}

/** A parsed name. */
export interface ResolvedName {
  /** Names of the relations and of the field, as in the field maps. */
  readonly path: readonly string[];
  readonly field: FilterField;
  /** True for `tenant_id`, false for `tenant`. */
  readonly byId: boolean;
  /** Undefined without a suffix; what that means depends on the grammar. */
  readonly operator: FilterOperator | undefined;
  readonly negated: boolean;
}

/** A field, and its name in the map. */
interface FoundField {
  readonly name: string;
  readonly field: FilterField;
  readonly byId: boolean;
}

/** Returns the field with a name. Inherited properties such as `constructor` are not fields. */
export function fieldByName(map: FieldMap, name: string): FilterField | undefined {
  return Object.hasOwn(map.fields, name) ? map.fields[name] : undefined;
}

/** Returns the field map of a relation's target; undefined for other fields. */
export function targetMapOf(field: FilterField): FieldMap | undefined {
  return field.kind === "reference" || field.kind === "many" ? field.target() : undefined;
}

/**
 * Returns whether a relation's target has no key other than its id, so that the relation's name compares the
 * id.
 */
export function isKeyless(field: FilterField): boolean {
  return (field.kind === "reference" || field.kind === "many") && field.keys.length === 0;
}

/** Finds the field for a segment: its name, `<relation>_id`, or the plural of a many-relation. */
function matchSegment(map: FieldMap, segment: string): FoundField | undefined {
  const own = fieldByName(map, segment);
  if (own !== undefined) return { name: segment, field: own, byId: false };
  if (segment.endsWith("_id")) {
    const name = segment.slice(0, -3);
    const relation = fieldByName(map, name);
    if (relation !== undefined && targetMapOf(relation) !== undefined) {
      return { name, field: relation, byId: true };
    }
  }
  for (const [name, field] of Object.entries(map.fields)) {
    if (field.kind === "many" && field.plural === segment) return { name, field, byId: false };
  }
  return undefined;
}

/** Parses the name of a filter; undefined if it is unknown. */
export function resolveName(map: FieldMap, name: string): ResolvedName | undefined {
  const segments = name.split("__");
  // Relations, the field, and a suffix.
  if (segments.length > MAX_FILTER_DEPTH + 2) return undefined;
  const path: string[] = [];
  let current = map;
  for (const [index, segment] of segments.entries()) {
    const found = matchSegment(current, segment);
    if (found === undefined) return undefined;
    path.push(found.name);
    const { field, byId } = found;
    const next = segments[index + 1];
    if (next === undefined) return { path, field, byId, operator: undefined, negated: false };
    const target = byId ? undefined : targetMapOf(field);
    if (target !== undefined && matchSegment(target, next) !== undefined) {
      if (path.length > MAX_FILTER_DEPTH) return undefined;
      current = target;
      continue;
    }
    const suffix = suffixOn(field, next);
    if (suffix === undefined || index + 2 < segments.length) return undefined;
    return { path, field, byId, ...suffix };
  }
  return undefined;
}
