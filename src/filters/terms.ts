/** Builds conditions from names and values, for query parameters, constraints and filter objects. */

import { addOnce, ALL_FIELDS, type Finding, finding } from "../base/findings.ts";
import { MAX_FILTER_TERMS, MAX_FILTER_VALUES } from "./limits.ts";
import { type Comparison, type Condition, type FilterOperator, type FilterValue, NOTHING } from "./ast.ts";
import { and, countComparisons, or } from "./combine.ts";
import { type ResolvedName } from "./field_map.ts";
import { isNullable, type ReadValue, type ValueSpec } from "./values.ts";

/** The result of a parser. If there is any error, the condition matches no row. */
export interface ParsedCondition {
  readonly condition: Condition;
  readonly errors: Finding[];
}

/** Returns the result of a parser after checking the number of comparisons. */
export function parseResult(condition: Condition, errors: Finding[]): ParsedCondition {
  checkCount(countComparisons(condition), errors);
  return { condition: errors.length === 0 ? condition : NOTHING, errors };
}

/** Returns whether a number of comparisons is within the limit. Adds a message if it is not. */
export function checkCount(count: number, errors: Finding[]): boolean {
  if (count <= MAX_FILTER_TERMS) return true;
  addOnce(errors, ALL_FIELDS, finding("too_many_comparisons", { max: MAX_FILTER_TERMS, count }));
  return false;
}

/** Reads all values of a filter. Adds a message for each invalid one. */
export function readValues<T>(
  values: readonly T[],
  options: { name: string; errors: Finding[]; read: (value: T) => ReadValue },
): readonly FilterValue[] {
  const { name, errors } = options;
  if (values.length > MAX_FILTER_VALUES) {
    addOnce(errors, name, finding("too_many_values", { max: MAX_FILTER_VALUES, count: values.length }));
    return [];
  }
  const read = new Set<FilterValue>();
  for (const value of values) {
    const result = options.read(value);
    if ("error" in result) addOnce(errors, name, result.error);
    else read.add(result.value);
  }
  return [...read];
}

/** Returns the operator of a name without suffix (query parameters and filter objects). */
export function operatorOf({ field }: ResolvedName): FilterOperator {
  return ("defaultOperator" in field ? field.defaultOperator : undefined) ?? "exact";
}

/** Returns whether null is a valid value: for a nullable field, without a suffix or compared for equality. */
export function takesNull(name: ResolvedName, spec: ValueSpec): boolean {
  return isNullable(name.field) && (name.operator === undefined || spec.operator === "exact");
}

/** Returns the condition that any of `values` matches, or none of them if the name is negated. */
export function compareAny(
  name: ResolvedName,
  options: { operator: FilterOperator; values: readonly FilterValue[] },
): Condition {
  const { path, field, negated } = name;
  const operator = field.kind === "hex" ? caseSensitive(options.operator) : options.operator;
  const compare = (operator: FilterOperator, values: readonly FilterValue[]): Comparison => ({
    kind: "compare",
    path,
    operator,
    values,
    negated,
  });
  const { values } = options;
  if (operator === "exact" || !values.includes(null)) return compare(operator, values);
  const others = values.filter((value) => value !== null);
  return or(compare("exact", [null]), ...(others.length === 0 ? [] : [compare(operator, others)]));
}

/** Returns the condition that each of `values` matches, for a repeated `tag`. */
export function compareEach(
  name: ResolvedName,
  options: { operator: FilterOperator; values: readonly FilterValue[] },
): Condition {
  return and(...options.values.map((value) => compareAny(name, { ...options, values: [value] })));
}

/**
 * Returns the case-sensitive operator. Hexadecimal digits are stored and read in lower case, and this
 * operator can use an index.
 */
function caseSensitive(operator: FilterOperator): FilterOperator {
  switch (operator) {
    case "iexact":
      return "exact";
    case "icontains":
      return "contains";
    case "istartswith":
      return "startswith";
    case "iendswith":
      return "endswith";
    default:
      return operator;
  }
}
