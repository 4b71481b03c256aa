/**
 * The filter language. Parse ({@link parseQuery}, {@link parseConstraint}, {@link parseFiltersObject}, {@link
 * parseOrdering}) against a field map, combine ({@link and}, {@link or}, {@link not}), replace regular
 * expressions ({@link resolveRegexes}), compile ({@link compileCondition}, {@link compileOrdering}).
 */

export {
  across,
  and,
  compare,
  filterNamesOf,
  isEverything,
  matchesNothing,
  mergeAlternatives,
  not,
  or,
} from "./combine.ts";
export * from "./ast.ts";
export { MAX_FILTER_VALUE_CHARS, MAX_FILTER_VALUES } from "./limits.ts";
export { compileCondition, type CompileContext } from "./compile.ts";
export { columnOf, fieldSql, type TextSearch, textSearch } from "./compile_values.ts";
export { type IndexedColumn, preselectedIds, type TrigramIndex, trigramQuery } from "./text_patterns.ts";
export { compileOrdering, parseOrdering, shownId } from "./ordering.ts";
export { type FilterName, filterNames, type FilterType } from "./describe_filters.ts";
export {
  type DefaultOperator,
  type FieldMap,
  type FilterField,
  isKeyless,
  mapIn,
  type PredicateContext,
  resolveName,
  type ShownAs,
  targetMapOf,
  type ViewRestriction,
} from "./field_map.ts";
export { quoteInput } from "./messages.ts";
export { isDictionary, parseConstraint } from "./parse_constraint.ts";
export { parseFiltersObject } from "./parse_filters_object.ts";
export { parseQuery } from "./parse_query.ts";
export {
  noRegexes,
  type Pattern,
  patternFault,
  type RegexAllowance,
  regexAllowance,
  takePattern,
} from "./regex.ts";
export { resolveRegexes, type ScanBudget, scanBudget } from "./resolve_regexes.ts";
export { MAX_MISSPELLED_CHARS, nearest } from "../base/nearest.ts";
