/** Parses filters in query parameters (NetBox's grammar). */

import { addOnce, type Finding } from "../base/findings.ts";
import { relativeNames } from "../x509/mod.ts";
import { type Condition, EVERYTHING, type FilterValue, NOTHING } from "./ast.ts";
import { and, or } from "./combine.ts";
import { type FieldMap, type FilterField, isKeyless, type ResolvedName, resolveName } from "./field_map.ts";
import { type RegexAllowance, regexAllowance } from "./regex.ts";
import { createUnknown } from "./suggest.ts";
import {
  checkCount,
  compareAny,
  compareEach,
  operatorOf,
  type ParsedCondition,
  parseResult,
  readValues,
  takesNull,
} from "./terms.ts";
import { readSearch, readTextValue, type ValueSpec } from "./values.ts";

/**
 * Parses filters in query parameters, and skips those in `reserved` (paging, selection of fields). A repeated
 * parameter is OR (AND for a many-relation without suffix: `tag=a&tag=b`), different ones are AND, and `null`
 * is null for a nullable field. Errors are by parameter name. If there is any error, the condition matches
 * nothing.
 * @param options.regexes The allowance of the request; a new one by default.
 */
export function parseQuery(
  params: Iterable<readonly [string, string]>,
  map: FieldMap,
  options: { reserved: ReadonlySet<string>; regexes?: RegexAllowance },
): ParsedCondition {
  const errors: Finding[] = [];
  const grouped = new Map<string, string[]>();
  for (const [name, value] of params) {
    if (options.reserved.has(name)) continue;
    const values = grouped.get(name);
    if (values === undefined) grouped.set(name, [value]);
    else values.push(value);
  }
  if (!checkCount(grouped.size, errors)) return parseResult(NOTHING, errors);
  let unknown: ((name: string) => Finding) | undefined;
  const regexes = options.regexes ?? regexAllowance();
  const terms: Condition[] = [];
  for (const [name, values] of grouped) {
    const term = parseParameter({ name, values, map, errors, regexes, grouped });
    if (term !== undefined) terms.push(term);
    else addOnce(errors, name, (unknown ??= createUnknown(map, options.reserved))(name));
  }
  return parseResult(and(...terms), errors);
}

/** Parses a parameter with all its values; undefined if its name is unknown. */
function parseParameter(
  { name, values, map, errors, regexes, grouped }: {
    name: string;
    values: readonly string[];
    map: FieldMap;
    errors: Finding[];
    regexes: RegexAllowance;
    grouped: ReadonlyMap<string, readonly string[]>;
  },
): Condition | undefined {
  const resolved = resolveName(map, name);
  if (resolved === undefined) {
    return name === "q" && map.search !== undefined ? parseSearch(values, errors) : undefined;
  }
  const spec = valueSpec(resolved, regexes);
  const nullable = takesNull(resolved, spec);
  const read = readValues(values, {
    name,
    errors,
    read: (text) => nullable && text === "null" ? { value: null } : readTextValue(text, spec),
  });
  if (read.length === 0) return EVERYTHING;
  const { field } = resolved;
  const conjunctive = field.kind === "many" && !field.anyOf && !resolved.negated &&
    resolved.operator === undefined;
  return (conjunctive ? compareEach : compareAny)(resolved, {
    operator: spec.operator,
    values: withQualifier(withNotations(read, spec), field, (second) => grouped.get(second)?.at(-1)),
  });
}

/** Returns the values, each followed by that of the filter that qualifies them, if there is one. */
export function withQualifier(
  values: readonly FilterValue[],
  field: FilterField,
  valueOf: (name: string) => unknown,
): readonly FilterValue[] {
  const qualifier = field.kind === "predicate" && field.qualifiedBy !== undefined
    ? valueOf(field.qualifiedBy)
    : undefined;
  return qualifier === undefined ? values : values.map((value) => `${value}@${qualifier}`);
}

/**
 * Returns the values of a text filter, and for each distinguished name among them its notation in certificates, in both
 * orders: RFC 4514 reverses the order in which certificates have, and OpenSSL prints, their parts.
 */
export function withNotations(
  values: readonly FilterValue[],
  { field, operator }: Pick<ValueSpec, "field" | "operator">,
): readonly FilterValue[] {
  if (field.kind !== "text" || operator === "regex" || operator === "iregex") return values;
  const notations = values.flatMap((value) => typeof value === "string" ? notationsOf(value) : []);
  return [...new Set([...values, ...notations])];
}

function notationsOf(text: string): string[] {
  const names = relativeNames(text);
  return names.length === 0 ? [] : [names.join(", "), names.toReversed().join(", ")];
}

/** Returns how the values of a parameter are read. */
export function valueSpec(resolved: ResolvedName, regexes: RegexAllowance): ValueSpec {
  return {
    field: resolved.field,
    byId: resolved.byId || isKeyless(resolved.field),
    operator: resolved.operator ?? operatorOf(resolved),
    regexes,
  };
}

/** Parses `q`. Several values are OR. */
export function parseSearch(values: readonly unknown[], errors: Finding[]): Condition {
  const texts = readValues(values, { name: "q", errors, read: readSearch });
  const all = new Set(texts.map(String).flatMap((text) => [text, ...notationsOf(text)]));
  return or(...[...all].map((text): Condition => ({ kind: "search", text })));
}
