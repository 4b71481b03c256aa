/**
 * Suffixes, and the fields that accept them. NetBox's short suffixes and Django's long ones are equivalent:
 * `__ic` = `__icontains`, `__n` = not `__exact`. `__in` is `__exact` with several values. Commas never split
 * a value.
 */

import type { FilterOperator } from "./ast.ts";
import type { FilterField } from "./field_map.ts";

/** The meaning of a suffix. */
export interface Suffix {
  readonly operator: FilterOperator;
  readonly negated: boolean;
}

const TEXT_SHORT = ["n", "ic", "nic", "isw", "nisw", "iew", "niew", "ie", "nie", "empty", "regex", "iregex"];
const TEXT_LONG: readonly string[] = [
  "exact",
  "iexact",
  "contains",
  "icontains",
  "startswith",
  "istartswith",
  "endswith",
  "iendswith",
  "in",
  "isnull",
];
const REGEX: readonly string[] = ["regex", "iregex"];

/** Suffixes by family: NetBox's, which the API document lists, and Django's, which are also accepted. */
const FAMILIES = {
  text: { short: TEXT_SHORT, long: TEXT_LONG },
  values: {
    short: TEXT_SHORT.filter((name) => !REGEX.includes(name)),
    long: TEXT_LONG,
  },
  number: { short: ["n", "lt", "lte", "gt", "gte", "empty"], long: ["exact", "in", "isnull"] },
  equality: { short: ["n", "empty"], long: ["exact", "in", "isnull"] },
  predicate: { short: ["n"], long: [] },
  none: { short: [], long: [] },
} as const satisfies Record<string, { short: readonly string[]; long: readonly string[] }>;

/** The operators of suffixes with another name. Those with a leading `n` negate them. */
const MEANINGS: Readonly<Record<string, FilterOperator>> = {
  in: "exact",
  n: "exact",
  ie: "iexact",
  ic: "icontains",
  isw: "istartswith",
  iew: "iendswith",
};

function familyOf(field: FilterField): { short: readonly string[]; long: readonly string[] } {
  switch (field.kind) {
    case "text":
    case "hex":
    case "choice":
      return FAMILIES.text;
    case "values":
      return field.source === undefined ? FAMILIES.values : FAMILIES.text;
    case "integer":
    case "datetime":
      return FAMILIES.number;
    case "boolean":
    case "reference":
    case "many":
      return FAMILIES.equality;
    case "predicate":
      return field.type === "choice" ? FAMILIES.predicate : FAMILIES.none;
  }
}

/** Returns NetBox's suffixes of a field; with `long`, also Django's. */
export function suffixesOf(field: FilterField, options: { long: boolean }): readonly string[] {
  const family = familyOf(field);
  return options.long ? [...family.short, ...family.long] : family.short;
}

/** Returns the meaning of a suffix; undefined if the field does not accept it. */
export function suffixOn(field: FilterField, name: string): Suffix | undefined {
  const family = familyOf(field);
  if (!family.short.includes(name) && !family.long.includes(name)) return undefined;
  const negated = name.startsWith("n");
  const plain = negated && name !== "n" ? name.slice(1) : name;
  return { operator: MEANINGS[plain] ?? plain as FilterOperator, negated };
}
