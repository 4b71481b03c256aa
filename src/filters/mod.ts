/**
 * The filter language. Parse ({@link parseQuery}, {@link parseConstraint}, {@link parseFiltersObject},
 * {@link parseOrdering}) against a field map, combine ({@link and}, {@link or}, {@link not}), replace regular
 * expressions ({@link resolveRegexes}), compile ({@link compileCondition}, {@link compileOrdering}).
 */

export { across } from "./across.ts";
export * from "./ast.ts";
export { and, isEverything, isNothing, not, or } from "./combine.ts";
export { compileCondition, type CompileContext } from "./compile.ts";
export { compileOrdering } from "./compile_ordering.ts";
export { type FilterName, filterNames, type FilterType } from "./describe_filters.ts";
export type {
  DefaultOperator,
  FieldMap,
  FilterField,
  PredicateContext,
  ViewRestriction,
} from "./field_map.ts";
export { isDictionary, parseConstraint } from "./parse_constraint.ts";
export { parseFiltersObject } from "./parse_filters_object.ts";
export { type ParsedOrdering, parseOrdering } from "./parse_ordering.ts";
export { parseQuery } from "./parse_query.ts";
export { noRegexes, type RegexAllowance, regexAllowance } from "./regex_allowance.ts";
export { resolveRegexes, type ScanBudget, scanBudget } from "./resolve_regexes.ts";
export { nearest } from "./suggest.ts";
export type { ParsedCondition } from "./terms.ts";
