/** Lists the query parameters of a field map, for the API document and for suggestions. */

import { MAX_FILTER_DEPTH } from "./limits.ts";
import type { FilterOperator } from "./ast.ts";
import { fieldByName, type FieldMap, type FilterField, isKeyless, targetMapOf } from "./field_map.ts";
import { type Suffix, suffixesOf, suffixOn } from "./operators.ts";

/** Type of a filter's values in the API document. */
export type FilterType = "string" | "integer" | "boolean" | "datetime" | "choice" | "hex" | "regex";

/** A query parameter. */
export interface FilterName {
  readonly name: string;
  readonly type: FilterType;
  /** Allowed values of a choice. */
  readonly choices?: readonly string[];
  /**
   * Whether it may be repeated: any of the values matches (all of them for a many-relation without suffix).
   */
  readonly repeatable: boolean;
  /** Description for the API document. */
  readonly description: string;
}

/** A name, and the comparison that it means. */
interface ListedName {
  readonly name: string;
  readonly fieldName: string;
  readonly field: FilterField;
  readonly byId: boolean;
  readonly suffix: Suffix | undefined;
}

/**
 * Yields every query parameter of `map` under NetBox's names, `q` first. `depth` is the number of relations
 * to follow (`tenant__name__ic` follows one; 0 by default). `long` adds Django's names of the same suffixes.
 */
export function* filterNames(
  map: FieldMap,
  options: { depth?: number; long?: boolean } = {},
): Generator<FilterName> {
  if (map.search !== undefined) {
    yield { name: "q", type: "string", repeatable: true, description: "Text to search for" };
  }
  yield* namesBelow(map, {
    prefix: "",
    depth: Math.min(options.depth ?? 0, MAX_FILTER_DEPTH),
    long: !!options.long,
  });
}

function* namesBelow(
  map: FieldMap,
  options: { prefix: string; depth: number; long: boolean },
): Generator<FilterName> {
  for (const listed of listNames(map, options)) yield describe(listed, options.prefix);
  if (options.depth === 0) return;
  for (const [name, field] of Object.entries(map.fields)) {
    const target = targetMapOf(field);
    if (target === undefined) continue;
    yield* namesBelow(target, { ...options, prefix: `${options.prefix}${name}__`, depth: options.depth - 1 });
  }
}

/** Yields the names of a map without those of related resources. */
export function* listNames(map: FieldMap, options: { long: boolean }): Generator<ListedName> {
  for (const [fieldName, field] of Object.entries(map.fields)) {
    yield* variants({ name: fieldName, fieldName, field, byId: isKeyless(field) }, options);
    const idName = `${fieldName}_id`;
    if (targetMapOf(field) === undefined || fieldByName(map, idName) !== undefined) continue;
    yield* variants({ name: idName, fieldName, field, byId: true }, options);
  }
}

function* variants(
  base: Omit<ListedName, "suffix">,
  options: { long: boolean },
): Generator<ListedName> {
  yield { ...base, suffix: undefined };
  for (const suffix of suffixesOf(base.field, options)) {
    yield { ...base, name: `${base.name}__${suffix}`, suffix: suffixOn(base.field, suffix) };
  }
}

function describe(listed: ListedName, prefix: string): FilterName {
  const { field, suffix } = listed;
  const operator = suffix?.operator ?? ("defaultOperator" in field ? field.defaultOperator : undefined) ??
    "exact";
  const type = typeOf(listed, operator);
  return {
    name: prefix + listed.name,
    type,
    ...(type === "choice" && "choices" in field && field.choices !== undefined
      ? { choices: field.choices }
      : {}),
    repeatable: true,
    description: wording(listed, operator),
  };
}

function typeOf({ field, byId }: ListedName, operator: FilterOperator): FilterType {
  if (operator === "empty" || operator === "isnull") return "boolean";
  if (operator === "regex" || operator === "iregex") return "regex";
  switch (field.kind) {
    case "text":
    case "values":
      return "string";
    case "reference":
    case "many":
      return byId ? "integer" : "string";
    case "choice":
      return operator === "exact" || operator === "iexact" ? "choice" : "string";
    case "predicate":
      return field.type;
    default:
      return field.kind;
  }
}

const WORDS: Readonly<Record<FilterOperator, string>> = {
  exact: "equals the value",
  iexact: "equals the value, ignoring case",
  contains: "contains the value",
  icontains: "contains the value, ignoring case",
  startswith: "starts with the value",
  istartswith: "starts with the value, ignoring case",
  endswith: "ends with the value",
  iendswith: "ends with the value, ignoring case",
  lt: "is less than the value",
  lte: "is at most the value",
  gt: "is greater than the value",
  gte: "is at least the value",
  empty: "is empty",
  isnull: "is null",
  regex: "matches the regular expression (RE2)",
  iregex: "matches the regular expression (RE2), ignoring case",
};

function wording({ fieldName, field, byId, suffix }: ListedName, operator: FilterOperator): string {
  if (field.kind === "predicate" && field.description !== undefined) return field.description;
  const subject = byId
    ? `id of ${fieldName}`
    : field.kind === "reference" || field.kind === "many"
    ? `${field.keys.join(" or ")} of ${fieldName}`
    : fieldName;
  return `${subject} ${suffix?.negated === true ? negated(WORDS[operator]) : WORDS[operator]}`;
}

/** Returns "does not contain …" for "contains …", and "is not …" for "is …". */
function negated(words: string): string {
  const [verb = "", ...rest] = words.split(" ");
  return [verb === "is" ? "is not" : `does not ${verb.replace(/(?<=match)es$|s$/, "")}`, ...rest].join(" ");
}
