/**
 * Parses filters as nested objects (GraphQL, webhook conditions): names of query parameters with JSON values.
 */

import { MAX_FILTER_NESTING, MAX_FILTER_TERMS } from "./limits.ts";
import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";
import { and, not, or } from "./combine.ts";
import { type FieldMap, resolveName } from "./field_map.ts";
import { addMessage, type Messages } from "./messages.ts";
import { isDictionary } from "./parse_constraint.ts";
import { parseSearch, valueSpec, withNotations } from "./parse_query.ts";
import { type RegexAllowance, regexAllowance } from "./regex.ts";
import { createUnknownMessage } from "./suggest.ts";
import { compareAny, type ParsedCondition, parseResult, readValues, takesNull } from "./terms.ts";
import { readJsonValue } from "./values.ts";

/** State of the parser, shared by all levels. */
interface Parse {
  readonly map: FieldMap;
  readonly messages: Messages;
  readonly unknown: (name: string) => string;
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
  const messages: Messages = new Map();
  if (json === null || json === undefined) return parseResult(EVERYTHING, messages);
  const unknown = createUnknownMessage(map, ["AND", "OR", "NOT"]);
  const parse: Parse = { map, messages, unknown, regexes, names: 0 };
  return parseResult(parseObject(json, { parse, depth: 0 }), messages);
}

function parseObject(json: unknown, { parse, depth }: { parse: Parse; depth: number }): Condition {
  if (!isDictionary(json)) return fail(parse, "Enter an object with filters.");
  if (depth > MAX_FILTER_NESTING) return fail(parse, `Nest at most ${MAX_FILTER_NESTING} levels of filters.`);
  const all: Condition[] = [];
  const alternatives: Condition[] = [];
  for (const [name, value] of Object.entries(json)) {
    if (++parse.names > MAX_FILTER_TERMS) {
      return fail(parse, `Combine at most ${MAX_FILTER_TERMS} comparisons.`);
    }
    if (name === "AND" || name === "OR" || name === "NOT") {
      const terms = (Array.isArray(value) ? value : [value]).slice(0, MAX_FILTER_TERMS + 1)
        .map((each) => parseObject(each, { parse, depth: depth + 1 }));
      if (name === "OR") alternatives.push(...terms);
      else all.push(...(name === "AND" ? terms : terms.map(not)));
    } else {
      all.push(parseEntry({ name, value, parse }));
    }
  }
  if (alternatives.length === 0) return and(...all);
  return all.length === 0 ? or(...alternatives) : or(and(...all), ...alternatives);
}

function parseEntry({ name, value, parse }: { name: string; value: unknown; parse: Parse }): Condition {
  const { map, messages } = parse;
  const resolved = resolveName(map, name);
  const given = Array.isArray(value) ? value : [value];
  if (resolved === undefined) {
    if (name === "q" && map.search !== undefined) return parseSearch(given, messages);
    addMessage(messages, name, parse.unknown(name));
    return NOTHING;
  }
  const spec = valueSpec(resolved, parse.regexes);
  const nullable = takesNull(resolved, spec);
  const values = readValues(given, {
    name,
    messages,
    read: (json) =>
      nullable && (json === null || json === "null") ? { value: null } : readJsonValue(json, spec),
  });
  return compareAny(resolved, { operator: spec.operator, values: withNotations(values, spec) });
}

function fail(parse: Parse, message: string): Condition {
  addMessage(parse.messages, "__all__", message);
  return NOTHING;
}
