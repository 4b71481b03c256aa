/**
 * Lookups as SQL, the only way for user input into a statement. Identifiers come from the field map, values are bound;
 * several values of one comparison are one JSON parameter, so that the text of a statement does not depend on how
 * many there are. Conditions are two-valued where it matters: a negation also holds where the answer is unknown
 * (null), as Django's `exclude` has it.
 */

import { type SQL, sql } from "drizzle-orm";
import type { Millis } from "../base/clock.ts";
import type { Comparison, Lookup, LookupValue, OrderKey } from "./ast.ts";
import { isEverything } from "./combine.ts";
import type { FieldMap, LookupField, PredicateContext } from "./field_map.ts";
import { fieldOf, targetOf } from "./names.ts";
import { type Anchor, exactPattern, foldedPattern, prefixEnd, trigramQuery } from "./text_patterns.ts";

/** What a lookup is compiled for. */
export interface CompileContext {
  /** Name or alias of the root table in the statement. */
  readonly alias: string;
  readonly now: Millis;
  readonly thresholds: PredicateContext["thresholds"];
  /** The acting user, for `"$user"`; null when nobody acts, and then such a lookup cannot be compiled. */
  readonly userId: number | null;
  /**
   * What the caller may view of a related resource, by object type. Related rows outside it do not exist for a
   * user's filter. Constraints are compiled without it: they cross freely.
   */
  readonly visible?: (objectType: string) => Lookup;
}

/** Where in the statement a condition stands. */
interface Scope {
  readonly map: FieldMap;
  readonly alias: string;
  readonly depth: number;
  readonly context: CompileContext;
}

const TRUE = sql.raw("1");
const FALSE = sql.raw("0");

/** The condition of a lookup on the rows of `map`'s table under `context.alias`. */
export function compileLookup(lookup: Lookup, map: FieldMap, context: CompileContext): SQL {
  return compileNode(lookup, { map, alias: context.alias, depth: 0, context });
}

/** The terms of an ORDER BY. Nulls come first ascending and last descending, as SQLite's indexes have them. */
export function compileOrdering(keys: readonly OrderKey[], map: FieldMap, alias: string): SQL {
  const terms = keys.map(({ field: name, descending }) => {
    const field = fieldOf(map, name);
    const column = field !== undefined && "column" in field ? field.column : name === "id" ? "id" : undefined;
    if (column === undefined) throw new Error(`Cannot order ${map.objectType} by "${name}"`);
    return descending ? sql`${columnOf(alias, column)} DESC` : columnOf(alias, column);
  });
  return sql.join(terms, sql.raw(", "));
}

/**
 * The distinct texts of one field in their order, at most `limit` after `after`: of the rows that `within` selects,
 * or of the related rows that the caller may view. Column name: `value`.
 */
export function compileDistinct(
  field: LookupField,
  map: FieldMap,
  options: { context: CompileContext; within?: Lookup; after?: string; limit: number },
): SQL {
  const { context, within, after, limit } = options;
  const source = field.kind === "values"
    ? field.source
    : "column" in field
    ? { ...field, table: map.table }
    : undefined;
  if (source === undefined) throw new Error(`No column to read in ${map.objectType}`);
  const scope: Scope = { map, alias: context.alias, depth: 0, context };
  const column = columnOf(scope.alias, source.column);
  const conditions = [after === undefined ? sql`${column} IS NOT NULL` : sql`${column} > ${after}`];
  if (field.kind !== "values") {
    const rows = within === undefined ? visibleRows(scope) : compileNode(within, scope);
    if (rows !== undefined) conditions.push(rows);
  }
  return sql`SELECT DISTINCT ${column} AS value FROM ${sql.identifier(source.table)} AS ${
    sql.identifier(scope.alias)
  } WHERE ${joined(conditions, " AND ")} ORDER BY ${column} LIMIT ${limit}`;
}

function compileNode(lookup: Lookup, scope: Scope): SQL {
  switch (lookup.kind) {
    case "and":
      return joined(lookup.terms.map((term) => compileNode(term, scope)), " AND ") ?? TRUE;
    case "or":
      return joined(lookup.terms.map((term) => compileNode(term, scope)), " OR ") ?? FALSE;
    case "not":
      return untrue(compileNode(lookup.term, scope));
    case "search":
      if (scope.map.search === undefined) throw new Error(`No search on ${scope.map.objectType}`);
      // In parentheses: what comes from outside may hold an OR.
      return sql`(${scope.map.search(lookup.text, scope.alias)})`;
    case "compare":
      return lookup.negated ? untrue(compileComparison(lookup, scope)) : compileComparison(lookup, scope);
  }
}

/** A comparison without its negation. */
function compileComparison(term: Comparison, scope: Scope): SQL {
  if (term.operator === "isnull" || term.operator === "empty") {
    const { operator } = term;
    const some = { ...term, values: [false] };
    return anyOf(term.values.map((value) => {
      // No related row is empty as well, so "is null" across a relation is "not: is not null".
      if (value === false) return compilePath(some, scope);
      return term.path.length > 1
        ? untrue(compilePath(some, scope))
        : compilePath({ ...term, operator, values: [true] }, scope);
    }));
  }
  if (term.values.includes(null)) {
    const values = term.values.filter((value) => value !== null);
    return anyOf([
      compileComparison({ ...term, operator: "isnull", values: [true] }, scope),
      ...(values.length === 0 ? [] : [compilePath({ ...term, values }, scope)]),
    ]);
  }
  return term.values.length === 0 ? FALSE : compilePath(term, scope);
}

/** Crosses the first relation of a path, or compares the field that it ends in. */
function compilePath(term: Comparison, scope: Scope): SQL {
  const [name, ...rest] = term.path;
  const field = name === undefined ? undefined : fieldOf(scope.map, name);
  if (field === undefined) throw new Error(`No field "${name}" in ${scope.map.objectType}`);
  if (rest.length === 0) return compileField(field, term, scope);
  return related(field, scope, (target) => compilePath({ ...term, path: rest }, target));
}

function compileField(field: LookupField, term: Comparison, scope: Scope): SQL {
  switch (field.kind) {
    case "reference":
    case "many":
      return compareRelation(field, term, scope);
    case "values":
      return compareValues(field, term, scope);
    case "predicate": {
      const { now, thresholds } = scope.context;
      const { alias } = scope;
      return anyOf(
        term.values.map((value) => sql`(${field.condition(plain(value), { alias, now, thresholds })})`),
      );
    }
    case "integer":
    case "boolean":
    case "datetime":
      return compareNumber(columnOf(scope.alias, field.column), term, scope);
    default: {
      const indexed = field.kind === "text" ? field.indexed : undefined;
      return compareText(columnOf(scope.alias, field.column), term, {
        alias: scope.alias,
        ...(indexed === undefined ? {} : { index: { ...indexed, key: columnOf(scope.alias, "id") } }),
      });
    }
  }
}

type Relation = Extract<LookupField, { kind: "reference" | "many" }>;

/** Rows whose related row fulfils `condition` and may be seen. */
function related(field: LookupField, scope: Scope, condition: (target: Scope) => SQL | undefined): SQL {
  const map = targetOf(field);
  if (map === undefined) throw new Error(`No relation in ${scope.map.objectType}`);
  const depth = scope.depth + 1;
  const target = { ...scope, map, depth, alias: `${scope.context.alias}_${depth}` };
  const conditions = [condition(target), visibleRows(target)].filter((each) => each !== undefined);
  const ids = sql`SELECT ${columnOf(target.alias, "id")} FROM ${sql.identifier(map.table)} AS ${
    sql.identifier(target.alias)
  } WHERE ${joined(conditions, " AND ") ?? TRUE}`;
  return field.kind === "many"
    ? sql`${columnOf(scope.alias, "id")} IN (${field.ids(ids)})`
    : sql`${columnOf(scope.alias, (field as { column: string }).column)} IN (${ids})`;
}

/** The caller's view of a related resource; undefined when nothing of it is hidden. */
function visibleRows(target: Scope): SQL | undefined {
  const view = target.context.visible?.(target.map.objectType);
  if (view === undefined || isEverything(view)) return undefined;
  const { visible: _, ...free } = target.context;
  return compileNode(view, { ...target, context: free });
}

function hidesRows(field: Relation, scope: Scope): boolean {
  const view = scope.context.visible?.(field.target().objectType);
  return view !== undefined && !isEverything(view);
}

/** Compares the related row's id (numbers) or one of its keys (text). A hidden row is none at all. */
function compareRelation(field: Relation, term: Comparison, scope: Scope): SQL {
  const free = field.kind === "reference" && !hidesRows(field, scope);
  const column = field.kind === "reference" ? columnOf(scope.alias, field.column) : undefined;
  if (term.operator === "isnull" || term.operator === "empty") {
    const absent = term.values[0] === true;
    if (free) return absent ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
    const present = related(field, scope, () => undefined);
    return absent ? untrue(present) : present;
  }
  const values = term.values.map((value) => plain(value, scope.context));
  const ids = values.filter((value) => typeof value === "number");
  const keys = values.filter((value) => typeof value === "string");
  const conditions: SQL[] = [];
  if (ids.length > 0) {
    conditions.push(
      free
        ? equalsAny(column!, ids)
        : related(field, scope, (target) => equalsAny(columnOf(target.alias, "id"), ids)),
    );
  }
  if (keys.length > 0) {
    conditions.push(
      related(
        field,
        scope,
        (target) => anyOf(field.keys.map((key) => equalsAny(keyColumn(target, key), keys))),
      ),
    );
  }
  return anyOf(conditions);
}

function keyColumn(target: Scope, key: string): SQL {
  const field = fieldOf(target.map, key);
  if (field === undefined || !("column" in field)) {
    throw new Error(`No column "${key}" in ${target.map.objectType}`);
  }
  return columnOf(target.alias, field.column);
}

function compareValues(field: Extract<LookupField, { kind: "values" }>, term: Comparison, scope: Scope): SQL {
  const id = columnOf(scope.alias, "id");
  if (term.operator === "isnull" || term.operator === "empty") {
    const present = sql`${id} IN (${field.ids((column) => sql`${column} IS NOT NULL`)})`;
    return term.values[0] === true ? untrue(present) : present;
  }
  const ids = field.ids((column, key) =>
    compareText(column, term, {
      alias: scope.alias,
      ...(field.indexed === undefined || key === undefined ? {} : { index: { ...field.indexed, key } }),
    })
  );
  return sql`${id} IN (${ids})`;
}

function compareNumber(column: SQL, term: Comparison, scope: Scope): SQL {
  const values = term.values.map((value) => Number(plain(value, scope.context)));
  switch (term.operator) {
    case "exact":
      return equalsAny(column, values);
    case "isnull":
    case "empty":
      return term.values[0] === true ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
    case "lt":
      return sql`${column} < ${Math.max(...values)}`;
    case "lte":
      return sql`${column} <= ${Math.max(...values)}`;
    case "gt":
      return sql`${column} > ${Math.min(...values)}`;
    case "gte":
      return sql`${column} >= ${Math.min(...values)}`;
    default:
      throw new Error(`Cannot compare a number by "${term.operator}"`);
  }
}

interface TextOptions {
  readonly alias: string;
  /** A trigram index over the column; `key` is the SQL of its rowid. */
  readonly index?: { readonly table: string; readonly column: string; readonly key: SQL };
}

const ANCHORS: Readonly<Record<string, Anchor>> = {
  iexact: "whole",
  contains: "anywhere",
  icontains: "anywhere",
  startswith: "start",
  istartswith: "start",
  endswith: "end",
  iendswith: "end",
};

function compareText(column: SQL, term: Comparison, options: TextOptions): SQL {
  const { operator } = term;
  if (operator === "exact") return equalsAny(column, term.values.map(String));
  if (operator === "isnull") {
    return term.values[0] === true ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
  }
  if (operator === "empty") {
    return term.values[0] === true ? sql`(${column} IS NULL OR ${column} = '')` : sql`${column} <> ''`;
  }
  const anchor = ANCHORS[operator];
  if (anchor === undefined) throw new Error(`Cannot compare text by "${operator}" here`);
  const texts = term.values.map(String);
  const ignoreCase = operator.startsWith("i");
  const check = matchesAny(column, texts, { alias: options.alias, anchor, ignoreCase });
  if (options.index === undefined || anchor === "whole") return check;
  const query = trigramQuery(texts, { column: options.index.column, ignoreCase });
  if (query === undefined) return check;
  const table = sql.identifier(options.index.table);
  return sql`(${options.index.key} IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ${query}) AND ${check})`;
}

/** Whether a text matches one of `texts`; rewrites what an index can serve. */
function matchesAny(
  column: SQL,
  texts: readonly string[],
  { alias, anchor, ignoreCase }: { alias: string; anchor: Anchor; ignoreCase: boolean },
): SQL {
  const [only, ...others] = texts;
  if (!ignoreCase && only !== undefined && others.length === 0) {
    if (anchor === "anywhere") return sql`instr(${column}, ${only}) > 0`;
    if (anchor === "start") {
      const end = prefixEnd(only);
      return end === undefined
        ? sql`${column} >= ${only}`
        : sql`(${column} >= ${only} AND ${column} < ${end})`;
    }
  }
  const patterns = texts.map((text) => (ignoreCase ? foldedPattern : exactPattern)(text, anchor));
  const like = patterns.filter(({ operator }) => operator === "LIKE").map(({ pattern }) => pattern);
  const glob = patterns.filter(({ operator }) => operator === "GLOB").map(({ pattern }) => pattern);
  const conditions: SQL[] = [];
  if (like.length > 0) conditions.push(matchesPattern(column, like, { alias, operator: "LIKE" }));
  if (glob.length > 0) conditions.push(matchesPattern(column, glob, { alias, operator: "GLOB" }));
  return anyOf(conditions);
}

function matchesPattern(
  column: SQL,
  patterns: readonly string[],
  { alias, operator }: { alias: string; operator: "LIKE" | "GLOB" },
): SQL {
  const match = sql.raw(operator);
  const escape = sql.raw(operator === "LIKE" ? " ESCAPE '\\'" : "");
  if (patterns.length === 1) return sql`${column} ${match} ${patterns[0]}${escape}`;
  const value = `${alias}_v`;
  return sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(patterns)}) AS ${
    sql.identifier(value)
  } WHERE ${column} ${match} ${columnOf(value, "value")}${escape})`;
}

function equalsAny(column: SQL, values: readonly (string | number | boolean)[]): SQL {
  return values.length === 1
    ? sql`${column} = ${values[0]}`
    : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** A value as SQL binds it. */
function plain(value: LookupValue, context?: CompileContext): string | number | boolean {
  if (typeof value !== "object") return value;
  if (value === null || context?.userId == null) throw new Error("A lookup with $user needs an acting user");
  return context.userId;
}

function columnOf(alias: string, column: string): SQL {
  return sql`${sql.identifier(alias)}.${sql.identifier(column)}`;
}

function anyOf(conditions: readonly SQL[]): SQL {
  return joined(conditions, " OR ") ?? FALSE;
}

function joined(conditions: readonly SQL[], word: " AND " | " OR "): SQL | undefined {
  if (conditions.length < 2) return conditions[0];
  return sql`(${sql.join([...conditions], sql.raw(word))})`;
}

/** Holds where `condition` is false or unknown. */
function untrue(condition: SQL): SQL {
  return sql`((${condition}) IS NOT TRUE)`;
}
