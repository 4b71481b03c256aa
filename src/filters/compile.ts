/**
 * Compiles conditions to SQL. Identifiers come from the field map, and values are bound, except those of fields with few
 * possible ones. The values of a comparison are one JSON parameter, so that the text of a statement does not depend on
 * their number. A negation also matches rows for which the comparison is unknown (null), like Django's `exclude`.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Comparison, Condition } from "./ast.ts";
import { isEverything } from "./combine.ts";
import {
  allOf,
  anyOf,
  columnOf,
  compareNull,
  compareNumber,
  compareOwnValues,
  compareText,
  equalsAny,
  fieldSql,
  hasMember,
  isoText,
  isServed,
  notTrue,
  type TextSearch,
} from "./compile_values.ts";
import { boundValues, literalComparison } from "./values.ts";
import {
  fieldByName,
  type FieldMap,
  type FilterField,
  type PredicateContext,
  type ViewRestriction,
} from "./field_map.ts";

/** The context in which a condition is compiled. */
export interface CompileContext
  extends Pick<PredicateContext, "now" | "thresholds">, Partial<Pick<PredicateContext, "rules">> {
  /** Name or alias of the root table in the statement. */
  readonly alias: string;
  /** The acting user, for `"$user"`. null for the service itself, for which compiling such a condition throws. */
  readonly userId: number | null;
  /**
   * Returns the condition for the rows of a resource that the caller may view. A caller's filter does not
   * match other related rows. Constraints are compiled without it, because they may use any related row.
   */
  readonly visible?: (map: FieldMap) => Condition;
  /** The same condition as SQL, for predicates that read other tables. Set together with `visible`. */
  readonly shown?: ViewRestriction;
  /** How texts are searched in the root table and its lists of values; by default with their trigram index. */
  readonly search?: TextSearch | undefined;
}

/** The position of a condition in the statement. */
interface Scope {
  readonly map: FieldMap;
  readonly alias: string;
  readonly depth: number;
  readonly context: CompileContext;
}

type Relation = Extract<FilterField, { kind: "reference" | "many" }>;

/**
 * Compiles a condition on the rows of `map`'s table under `context.alias`. The result needs no parentheses
 * next to AND and OR. Regular expressions must have been resolved before.
 */
export function compileCondition(condition: Condition, map: FieldMap, context: CompileContext): SQL {
  return compileNode(condition, { map, alias: context.alias, depth: 0, context });
}

/**
 * Selects the distinct texts of a field as `value`, in order, at most `limit`, after `after`, from the rows
 * that match `within` and that the caller may view.
 */
export function compileDistinct(
  field: FilterField,
  map: FieldMap,
  options: { context: CompileContext; within: Condition; after: string | undefined; limit: number },
): SQL {
  const { context, within, after, limit } = options;
  const scope: Scope = { map, alias: context.alias, depth: 0, context };
  const source = field.kind === "values"
    ? field.source
    : "column" in field
    ? { ...field, table: map.table }
    : undefined;
  if (source === undefined) throw new Error(`No column to read in ${map.objectType}`);
  const rows = [...(isEverything(within) ? [] : [compileNode(within, scope)]), ...viewOf(scope)];
  const list = field.kind === "values" && rows.length > 0 ? field.list : undefined;
  const side = source.table === map.table ? scope.alias : `${scope.alias}_side`;
  const column = list === undefined ? fieldSql(side, source, context.shown) : columnOf(side, "value");
  const from = list === undefined
    ? sql`${sql.identifier(source.table)} AS ${sql.identifier(side)}`
    : sql`${sql.identifier(map.table)} AS ${sql.identifier(scope.alias)}, json_each(${
      columnOf(scope.alias, list)
    }) AS ${sql.identifier(side)}`;
  const conditions = [after === undefined ? compareNull(column, false) : sql`${column} > ${after}`];
  if (side === scope.alias || list !== undefined) conditions.push(...rows);
  return sql`SELECT DISTINCT ${column} AS value FROM ${from} WHERE ${
    allOf(conditions)
  } ORDER BY 1 LIMIT ${limit}`;
}

/** Selects the ids of rows of a scope that match all of `conditions`. */
function idsOf({ map, alias }: Scope, conditions: readonly SQL[]): SQL {
  const from = sql`${sql.identifier(map.table)} AS ${sql.identifier(alias)}`;
  return sql`SELECT ${columnOf(alias, "id")} FROM ${from} WHERE ${allOf(conditions)}`;
}

function compileNode(condition: Condition, scope: Scope): SQL {
  switch (condition.kind) {
    case "and":
      return allOf(condition.terms.map((term) => compileNode(term, scope)));
    case "or":
      return anyOf(condition.terms.map((term) => compileNode(term, scope)));
    case "not":
      return notTrue(compileNode(condition.term, scope));
    case "search":
      return compileSearch(condition.text, scope);
    case "compare":
      return condition.negated
        ? notTrue(compileComparison(condition, scope))
        : compileComparison(condition, scope);
  }
}

/** Compiles `q`. Further conditions are subqueries, so that each can use its own index. */
function compileSearch(text: string, scope: Scope): SQL {
  const { map, alias, context: { search, ...context } } = scope;
  const own = map.search?.(text, alias, search);
  if (own === undefined) throw new Error(`No search on ${map.objectType}`);
  const found: Scope = { ...scope, alias: `${alias}_found`, context };
  const ids = map.alsoFound?.(text).map((term) => idsOf(found, [compileNode(term, found)])) ?? [];
  // In parentheses, because the SQL of a field map may contain an OR.
  return anyOf([sql`(${own})`, ...ids.map((one) => sql`${columnOf(alias, "id")} IN (${one})`)]);
}

/** Compiles a comparison without its negation. */
function compileComparison(term: Comparison, scope: Scope): SQL {
  const { operator } = term;
  if (operator === "isnull" || operator === "empty") {
    return anyOf(term.values.map((value) => compileNull({ ...term, operator, values: [value] }, scope)));
  }
  const values = term.values.filter((value) => value !== null);
  const alternatives = values.length === 0 ? [] : [compilePath({ ...term, values }, scope)];
  if (values.length < term.values.length) {
    alternatives.push(compileNull({ ...term, operator: "isnull", values: [true] }, scope));
  }
  return anyOf(alternatives);
}

/**
 * Compiles "is null" for a path. Across a relation, a missing related row counts as null, so "is null" is
 * compiled as the negation of "is not null".
 */
function compileNull(term: Comparison, scope: Scope): SQL {
  return term.path.length > 1 && term.values[0] === true
    ? notTrue(compilePath({ ...term, values: [false] }, scope))
    : compilePath(term, scope);
}

/** Follows the first relation of a path, or compares its last field. */
function compilePath(term: Comparison, scope: Scope): SQL {
  const [name, ...rest] = term.path;
  const field = name === undefined ? undefined : fieldByName(scope.map, name);
  if (field === undefined) throw new Error(`No field "${name}" in ${scope.map.objectType}`);
  if (rest.length === 0) return compileField(field, term, scope);
  if (field.kind !== "reference" && field.kind !== "many") {
    throw new Error(`No relation "${name}" in ${scope.map.objectType}`);
  }
  return related(field, scope, (target) => compilePath({ ...term, path: rest }, target));
}

function compileField(field: FilterField, term: Comparison, scope: Scope): SQL {
  const { alias } = scope;
  if (field.kind === "reference" || field.kind === "many") return compareRelation(field, term, scope);
  if (field.kind === "values") return compareSideValues(field, term, scope);
  if (field.kind === "predicate") {
    const { shown = (): undefined => undefined, ...rest } = scope.context;
    const context = { rules: [], ...rest, alias, shown, isConstraint: scope.context.shown === undefined };
    // In parentheses for the same reason as a search.
    const values = boundValues(term.values, context.userId);
    return anyOf(values.map((value) => sql`(${field.condition(value, context)})`));
  }
  const column = fieldSql(alias, field, scope.context.shown);
  const textual = field.kind === "text" || field.kind === "hex" || field.kind === "choice";
  if (term.operator === "isnull" || term.operator === "empty") {
    const absent = term.values[0] === true;
    const emptyCounts = textual && term.operator === "empty";
    if (field.member !== undefined && !absent) return hasMember(column, { emptyCounts });
    if (!emptyCounts) return compareNull(column, absent);
    return absent ? sql`(${column} IS NULL OR ${column} = '')` : sql`${column} <> ''`;
  }
  const literals = term.operator === "exact" ? literalComparison(field, term.values) : undefined;
  if (literals !== undefined) return sql`${column} ${sql.raw(literals)}`;
  const values = boundValues(term.values, scope.context.userId);
  if (!textual) {
    const { iso } = field;
    const stored = iso === undefined ? {} : { stored: (at: number) => isoText(at, iso) };
    return compareNumber(column, { operator: term.operator, values: values.map(Number), ...stored });
  }
  const indexed = field.kind === "text" ? field.indexed : undefined;
  const compared = compareText(column, {
    operator: term.operator,
    values: values.map(String),
    alias,
    search: scope.context.search,
    ...(indexed === undefined ? {} : { index: { ...indexed, rowid: columnOf(alias, "id") } }),
  });
  return field.member === undefined || term.operator === "exact"
    ? compared
    : sql`(${hasMember(column)} AND ${compared})`;
}

function compareSideValues(
  field: Extract<FilterField, { kind: "values" }>,
  term: Comparison,
  scope: Scope,
): SQL {
  const id = columnOf(scope.alias, "id");
  if (term.operator === "isnull" || term.operator === "empty") {
    const present = sql`${id} IN (${field.ids((column) => compareNull(column, false))})`;
    return term.values[0] === true ? notTrue(present) : present;
  }
  const compared = { ...term, values: term.values.map(String), alias: scope.alias };
  if (field.list !== undefined && !isServed(compared)) {
    const own = compareOwnValues(columnOf(scope.alias, field.list), {
      ...compared,
      search: scope.context.search,
      index: field.indexed && { ...field.indexed, rowid: id },
    });
    if (own !== undefined) return own;
  }
  return sql`${id} IN (${field.ids((column) => compareText(column, compared))})`;
}

/** Returns the condition that a row has a related row that matches `condition` and that the caller may view. */
function related(field: Relation, scope: Scope, condition: (target: Scope) => SQL): SQL {
  const map = field.target();
  const depth = scope.depth + 1;
  // Compiled without `search`: the number of rows on a page says nothing about how many related rows match.
  const { search: _, ...context } = scope.context;
  const target: Scope = { map, depth, alias: `${scope.context.alias}_${depth}`, context };
  const ids = idsOf(target, [condition(target), ...viewOf(target)]);
  return field.kind === "many"
    ? sql`${columnOf(scope.alias, "id")} IN (${field.ids(ids, scope.context.shown)})`
    : sql`${fieldSql(scope.alias, field)} IN (${ids})`;
}

/**
 * Returns the caller's restriction for `view` on a scope's rows, if any. The restriction itself may use any
 * related row.
 */
function viewOf(scope: Scope): SQL[] {
  const view = scope.context.visible?.(scope.map);
  if (view === undefined || isEverything(view)) return [];
  const { visible: _, shown: __, search: ___, ...context } = scope.context;
  return [compileNode(view, { ...scope, context })];
}

/** Compares the related row's id (numbers) or one of its keys (texts). Hidden rows never match. */
function compareRelation(field: Relation, term: Comparison, scope: Scope): SQL {
  const own = field.kind === "reference" && !hidesRows(field, scope)
    ? fieldSql(scope.alias, field)
    : undefined;
  if (term.operator === "isnull" || term.operator === "empty") {
    const absent = term.values[0] === true;
    if (own !== undefined) return compareNull(own, absent);
    const present = related(field, scope, () => allOf([]));
    return absent ? notTrue(present) : present;
  }
  const values = boundValues(term.values, scope.context.userId);
  const ids = values.filter((value) => typeof value === "number");
  const keys = values.filter((value) => typeof value === "string");
  const alternatives: SQL[] = [];
  if (ids.length > 0) {
    alternatives.push(
      own !== undefined
        ? equalsAny(own, ids)
        : related(field, scope, (target) => equalsAny(columnOf(target.alias, "id"), ids)),
    );
  }
  const hasKey = (target: Scope): SQL =>
    anyOf(field.keys.map((key) => equalsAny(keyColumn(target, key), keys)));
  if (keys.length > 0) alternatives.push(related(field, scope, hasKey));
  return anyOf(alternatives);
}

function hidesRows(field: Relation, scope: Scope): boolean {
  const view = scope.context.visible?.(field.target());
  return view !== undefined && !isEverything(view);
}

function keyColumn(target: Scope, key: string): SQL {
  const field = fieldByName(target.map, key);
  if (field === undefined || !("column" in field)) {
    throw new Error(`No column "${key}" in ${target.map.objectType}`);
  }
  return columnOf(target.alias, field.column);
}
