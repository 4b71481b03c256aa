/** Compiles comparisons of a column with values: the part of `compile.ts` that is independent of relations. */

import { type SQL, sql } from "drizzle-orm";
import { formatDate, formatDatetime, type Millis } from "../base/clock.ts";
import type { FilterOperator } from "./ast.ts";
import type { ReadColumn, ViewRestriction } from "./field_map.ts";
import {
  exactGlob,
  foldedGlob,
  type IndexedColumn,
  isAsciiCased,
  likePattern,
  type PatternAnchor,
  prefixEnd,
  preselectedIds,
  type TrigramIndex,
  trigramQuery,
} from "./text_patterns.ts";

/*
 * Searches for a part of a text in a list's own fields use the trigram index, whose cost grows with the number of
 * matching rows, or compare each row, whose cost grows with the number of rows that are read until the page is full.
 */

/** How a condition is compiled, and what it searches for. */
export interface TextSearch {
  /** Whether each row is compared without an index. */
  readonly scan: boolean;
  /** The trigram index of each search that can use one, whether or not it does. */
  readonly indexes: TrigramIndex[];
  /** Whether the condition is compiled differently for the other value of `scan`. */
  differs: boolean;
}

/** Returns a search to which nothing was compiled yet. */
export function textSearch(scan: boolean): TextSearch {
  return { scan, indexes: [], differs: false };
}

const TRUE = sql.raw("1");
const FALSE = sql.raw("0");

/** Returns `"alias"."column"`. Both names come from definitions, never from a request. */
export function columnOf(alias: string, column: string): SQL {
  return sql`${sql.identifier(alias)}.${sql.identifier(column)}`;
}

/**
 * Returns the value of a field: its column, or a member of the JSON object in it. The path is part of the
 * statement's text, so that an index of the same expression can be used.
 */
export function fieldSql(alias: string, field: ReadColumn, shown?: ViewRestriction): SQL {
  const { column, member, iso } = field;
  const seen = shown && field.shownAs?.(alias, shown);
  if (seen !== undefined) return seen;
  if (member === undefined) return columnOf(alias, column);
  if (!/^\w+$/.test(member)) throw new Error(`Invalid member "${member}"`);
  // SQLite reads `->>` from an index, but not json_extract(), because that can return a JSON subtype.
  const value = sql`(${columnOf(alias, column)} ->> ${sql.raw(`'$.${member}'`)})`;
  // Without the Z, texts with and without a fraction sort like their times.
  return iso === "datetime" ? sql`rtrim(${value}, 'Z')` : value;
}

/** Joins conditions by AND; true if there are none. The result needs no parentheses, like that of {@link anyOf}. */
export function allOf(conditions: readonly SQL[]): SQL {
  return joined(conditions, " AND ") ?? TRUE;
}

/** Joins conditions by OR; false if there are none. */
export function anyOf(conditions: readonly SQL[]): SQL {
  return joined(conditions, " OR ") ?? FALSE;
}

/** Maximum number of terms in a row. Each adds a level, and SQLite's expressions have at most 1,000 levels. */
const MAX_WIDTH = 50;

function joined(conditions: readonly SQL[], word: " AND " | " OR "): SQL | undefined {
  if (conditions.length < 2) return conditions[0];
  if (conditions.length <= MAX_WIDTH) return sql`(${sql.join([...conditions], sql.raw(word))})`;
  const middle = conditions.length >> 1;
  return sql`(${joined(conditions.slice(0, middle), word)}${sql.raw(word)}${
    joined(conditions.slice(middle), word)
  })`;
}

/** Returns a condition that is true if `condition` is false or unknown. */
export function notTrue(condition: SQL): SQL {
  return sql`((${condition}) IS NOT TRUE)`;
}

/** Compiles "is null" (`absent`) or "is not null". */
export function compareNull(column: SQL, absent: boolean): SQL {
  return absent ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
}

/**
 * Compiles "is not null" (or "is neither null nor empty") for a member of a JSON object as a range: every value except
 * null is above minus infinity. SQLite uses an index of the expression for a range, but reads each row for IS NOT NULL.
 */
export function hasMember(column: SQL, { emptyCounts = false } = {}): SQL {
  return emptyCounts ? sql`${column} > ''` : sql`${column} >= -9e999`;
}

/** Compares a column for equality with any of `values`, which are bound as one parameter. */
export function equalsAny(column: SQL, values: readonly (string | number)[]): SQL {
  return values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} IN (${jsonValues(values)})`;
}

function jsonValues(values: readonly unknown[]): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(values)})`;
}

/** Compares a number with any of `values`. To be less than any of them is to be less than the largest. */
export function compareNumber(
  column: SQL,
  { operator, values, stored = (value) => value }: {
    operator: FilterOperator;
    values: readonly number[];
    /** Converts a value to its stored form, which must keep the order. */
    stored?: (value: number) => string | number;
  },
): SQL {
  switch (operator) {
    case "exact":
      return equalsAny(column, values.map(stored));
    case "lt":
      return sql`${column} < ${stored(Math.max(...values))}`;
    case "lte":
      return sql`${column} <= ${stored(Math.max(...values))}`;
    case "gt":
      return sql`${column} > ${stored(Math.min(...values))}`;
    case "gte":
      return sql`${column} >= ${stored(Math.min(...values))}`;
    default:
      throw new Error(`Cannot compare a number by "${operator}"`);
  }
}

/** Returns a date or a datetime as {@link fieldSql} returns it for JSON members. */
export function isoText(at: Millis, iso: "date" | "datetime"): string {
  return iso === "date" ? formatDate(at) : formatDatetime(at).slice(0, -1);
}

const ANCHORS: Readonly<Partial<Record<FilterOperator, PatternAnchor>>> = {
  iexact: "whole",
  contains: "anywhere",
  icontains: "anywhere",
  startswith: "start",
  istartswith: "start",
  endswith: "end",
  iendswith: "end",
};

export interface TextComparison {
  readonly operator: FilterOperator;
  readonly values: readonly string[];
  /** Alias of the table in the statement, and prefix of generated names. */
  readonly alias: string;
  /** A trigram index of the column. `rowid` is the SQL of its rowid in the statement. */
  readonly index?: IndexedColumn & { readonly rowid: SQL } | undefined;
  /** Decides whether the index is used, and collects the texts that are searched for in it. */
  readonly search?: TextSearch | undefined;
}

/** Compares text. `text_patterns.ts` defines what ignoring case means. */
export function compareText(column: SQL, { operator, values, alias, index, search }: TextComparison): SQL {
  const served = servedByIndex(column, { operator, values });
  if (served !== undefined) return served;
  const anchor = anchorOf(operator);
  const ignoreCase = operator.startsWith("i");
  const check = (ignoreCase ? matchesFolded : matchesExactly)(column, { values, anchor, alias });
  return preselected(check, { operator, values, index, search }) ?? check;
}

/** Returns a comparison for which an index of the values can be used; undefined for others. */
function servedByIndex(
  column: SQL,
  { operator, values }: Pick<TextComparison, "operator" | "values">,
): SQL | undefined {
  if (operator === "exact") return equalsAny(column, values);
  return (operator.startsWith("i") ? servedFolded : servedExactly)(column, values, anchorOf(operator));
}

/** Returns whether an index of the values can be used for a comparison. */
export function isServed(comparison: Pick<TextComparison, "operator" | "values">): boolean {
  return servedByIndex(sql``, comparison) !== undefined;
}

function anchorOf(operator: FilterOperator): PatternAnchor {
  const anchor = ANCHORS[operator];
  if (anchor === undefined) throw new Error(`Cannot compare text by "${operator}" here`);
  return anchor;
}

/**
 * Lets the trigram index preselect rows for a check, which decides; undefined if it cannot. Returns only the
 * check if each row is to be compared.
 */
function preselected(
  check: SQL,
  { operator, values, index, search }: Omit<TextComparison, "alias">,
): SQL | undefined {
  const query = index && trigramQuery(values, { column: index.column, ignoreCase: operator.startsWith("i") });
  if (index === undefined || query === undefined) return undefined;
  if (search !== undefined) {
    search.indexes.push(index);
    search.differs = true;
    if (search.scan) return check;
  }
  return sql`(${index.rowid} IN (${preselectedIds(index, query)}) AND ${check})`;
}

/**
 * Compares the values of a JSON list in the row itself, for which the trigram index can preselect rows;
 * undefined if each row would be compared although this was not chosen.
 */
export function compareOwnValues(list: SQL, { index, search, ...compared }: TextComparison): SQL | undefined {
  const side = `${compared.alias}_side`;
  const matching = compareText(columnOf(side, "value"), compared);
  const parsed = sql`EXISTS (SELECT 1 FROM json_each(${list}) AS ${sql.identifier(side)} WHERE ${matching})`;
  const check = isPlainPart(compared)
    ? sql`CASE WHEN instr(${list}, '\\') = 0 THEN ${compareText(list, compared)} ELSE ${parsed} END`
    : parsed;
  const found = preselected(check, { ...compared, index, search });
  if (search !== undefined) search.differs = true;
  return found ?? (search?.scan === true ? check : undefined);
}

// Such values do not contain the characters between texts. Parsing the list would take several times as long.
/** Returns whether the JSON text of a list contains one of the values exactly if one of its texts does. */
function isPlainPart({ operator, values }: Pick<TextComparison, "operator" | "values">): boolean {
  return /^i?contains$/.test(operator) && values.every((value) => /^[\w.*:@/=+-]+$/.test(value));
}

/** Returns a prefix comparison as a range, for an index of the column; undefined for other comparisons. */
function servedExactly(
  column: SQL,
  [only, ...others]: readonly string[],
  anchor: PatternAnchor,
): SQL | undefined {
  if (only === undefined || others.length > 0 || anchor !== "start") return undefined;
  const end = prefixEnd(only);
  return end === undefined ? sql`${column} >= ${only}` : sql`(${column} >= ${only} AND ${column} < ${end})`;
}

/** Works like {@link servedExactly} with COLLATE NOCASE: equality, or a range with an additional check. */
function servedFolded(column: SQL, values: readonly string[], anchor: PatternAnchor): SQL | undefined {
  if (!values.every(isAsciiCased)) return undefined;
  const folded = sql`${column} COLLATE NOCASE`;
  if (anchor === "whole") return equalsAny(folded, values);
  const [only, ...others] = values;
  if (only === undefined || others.length > 0 || anchor !== "start") return undefined;
  const start = only.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const end = prefixEnd(start);
  const check = matchesPattern(column, [likePattern(only, anchor)], { alias: "", operator: "LIKE" });
  return end === undefined ? check : sql`(${folded} >= ${start} AND ${folded} < ${end} AND ${check})`;
}

interface Match {
  readonly values: readonly string[];
  readonly anchor: PatternAnchor;
  readonly alias: string;
}

function matchesExactly(column: SQL, { values, anchor, alias }: Match): SQL {
  return values.length === 1 && anchor === "anywhere"
    ? sql`instr(${column}, ${values[0]}) > 0`
    : matchesPattern(column, values.map((value) => exactGlob(value, anchor)), { alias, operator: "GLOB" });
}

function matchesFolded(column: SQL, { values, anchor, alias }: Match): SQL {
  const ascii = values.filter(isAsciiCased).map((value) => likePattern(value, anchor));
  const others = values.filter((value) => !isAsciiCased(value)).map((value) => foldedGlob(value, anchor));
  return anyOf([
    ...(ascii.length === 0 ? [] : [matchesPattern(column, ascii, { alias, operator: "LIKE" })]),
    ...(others.length === 0 ? [] : [matchesPattern(column, others, { alias, operator: "GLOB" })]),
  ]);
}

function matchesPattern(
  column: SQL,
  patterns: readonly string[],
  { alias, operator }: { alias: string; operator: "LIKE" | "GLOB" },
): SQL {
  const match = sql.raw(operator);
  const escape = sql.raw(operator === "LIKE" ? " ESCAPE '\\'" : "");
  // The unary plus prevents an optimization: SQLite prepares a statement again for each value that is a single pattern,
  // because it may begin with literal characters. That takes longer than most searches, and the range is already there.
  if (patterns.length === 1) return sql`${column} ${match} +${patterns[0]}${escape}`;
  // A generated name, because the table may have a column named `value`.
  const value = sql.identifier(`${alias}_value`);
  const from = sql`(SELECT value AS ${value} FROM json_each(${JSON.stringify(patterns)}))`;
  return sql`EXISTS (SELECT 1 FROM ${from} WHERE ${column} ${match} ${value}${escape})`;
}
