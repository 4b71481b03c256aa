/**
 * Parses filters as nested objects (GraphQL, webhook conditions): names of query parameters with JSON values.
 */

import { addOnce, ALL_FIELDS, type Finding, finding } from "../base/findings.ts";
import { MAX_FILTER_NESTING, MAX_FILTER_TERMS } from "./limits.ts";
import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";
import { and, not, or } from "./combine.ts";
import { type FieldMap, resolveName } from "./field_map.ts";
import { isDictionary } from "./parse_constraint.ts";
import { parseSearch, valueSpec, withNotations, withQualifier } from "./parse_query.ts";
import { type RegexAllowance, regexAllowance } from "./regex.ts";
import { createUnknown } from "./suggest.ts";
import { compareAny, type ParsedCondition, parseResult, readValues, takesNull } from "./terms.ts";
import { readJsonValue } from "./values.ts";

/** State of the parser, shared by all levels. */
interface Parse {
  readonly map: FieldMap;
  readonly errors: Finding[];
  readonly unknown: (name: string) => Finding;
  readonly regexes: RegexAllowance;
  /** Number of names read so far. */
  names: number;
}

/**
 * Parses `{status: ["active", "pending"], valid_to__lt: "2027-01-01", NOT: {…}}`: different names are AND, a
 * list of values is OR, null is null. `AND`, `OR` and `NOT` take an object or a list of objects. As in
 * NetBox, `OR` adds alternatives to its siblings: `{a, OR: {b}}` is a or b. Errors are by name. If there is
 * any error, the condition matches nothing.
 * @param options.regexes The allowance of the request; a new one by default.
 */
export function parseFiltersObject(
  json: unknown,
  map: FieldMap,
  { regexes = regexAllowance() }: { regexes?: RegexAllowance } = {},
): ParsedCondition {
  const errors: Finding[] = [];
  if (json === null || json === undefined) return parseResult(EVERYTHING, errors);
  const unknown = createUnknown(map, ["AND", "OR", "NOT"]);
  const parse: Parse = { map, errors, unknown, regexes, names: 0 };
  return parseResult(parseObject(json, { parse, depth: 0 }), errors);
}

function parseObject(json: unknown, { parse, depth }: { parse: Parse; depth: number }): Condition {
  if (!isDictionary(json)) return fail(parse, finding("enter", { expected: "an object with filters" }));
  if (depth > MAX_FILTER_NESTING) return fail(parse, finding("too_deep", { max: MAX_FILTER_NESTING }));
  const all: Condition[] = [];
  const alternatives: Condition[] = [];
  for (const [name, value] of Object.entries(json)) {
    if (++parse.names > MAX_FILTER_TERMS) {
      return fail(parse, finding("too_many_comparisons", { max: MAX_FILTER_TERMS }));
    }
    if (name === "AND" || name === "OR" || name === "NOT") {
      const terms = (Array.isArray(value) ? value : [value]).slice(0, MAX_FILTER_TERMS + 1)
        .map((each) => parseObject(each, { parse, depth: depth + 1 }));
      if (name === "OR") alternatives.push(...terms);
      else all.push(...(name === "AND" ? terms : terms.map(not)));
    } else {
      all.push(parseEntry({ name, siblings: json, parse }));
    }
  }
  if (alternatives.length === 0) return and(...all);
  return all.length === 0 ? or(...alternatives) : or(and(...all), ...alternatives);
}

function parseEntry(
  { name, siblings, parse }: {
    name: string;
    siblings: Readonly<Record<string, unknown>>;
    parse: Parse;
  },
): Condition {
  const { map, errors } = parse;
  const value = siblings[name];
  const resolved = resolveName(map, name);
  const given = Array.isArray(value) ? value : [value];
  if (resolved === undefined) {
    if (name === "q" && map.search !== undefined) return parseSearch(given, errors);
    addOnce(errors, name, parse.unknown(name));
    return NOTHING;
  }
  const spec = valueSpec(resolved, parse.regexes);
  const nullable = takesNull(resolved, spec);
  const values = readValues(given, {
    name,
    errors,
    read: (json) =>
      nullable && (json === null || json === "null") ? { value: null } : readJsonValue(json, spec),
  });
  return compareAny(resolved, {
    operator: spec.operator,
    values: withQualifier(withNotations(values, spec), resolved.field, (second) => siblings[second]),
  });
}

function fail(parse: Parse, one: Finding): Condition {
  addOnce(parse.errors, ALL_FIELDS, one);
  return NOTHING;
}
