/** Parses permission constraints: JSON with Django's field lookups as keys. */

import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";
import { and, or } from "./combine.ts";
import { type FieldMap, resolveName } from "./field_map.ts";
import { addMessage, type Messages } from "./messages.ts";
import { noRegexes } from "./regex.ts";
import { createUnknownMessage } from "./suggest.ts";
import { checkCount, compareAny, type ParsedCondition, parseResult, readValues, takesNull } from "./terms.ts";
import { readConstraintValue, type ValueSpec } from "./values.ts";

/** Constraints are evaluated in every request, and SQL cannot evaluate regular expressions. */
const NO_REGEXES = noRegexes("in constraints");

/**
 * Parses a constraint. null, `{}` and `[]` do not restrict; an object is AND, a list of objects OR. A key
 * without a suffix compares for equality, a relation by id. A list of values is OR. `"$user"` is the acting
 * user's id. Errors are by key, and under `__all__` for the constraint as a whole. If there is any error, the
 * condition matches nothing.
 */
export function parseConstraint(json: unknown, map: FieldMap): ParsedCondition {
  const messages: Messages = new Map();
  if (json === null || json === undefined) return parseResult(EVERYTHING, messages);
  const dictionaries = Array.isArray(json) ? json : [json];
  if (!dictionaries.every(isDictionary)) {
    addMessage(messages, "__all__", "Enter an object with filters, or a list of such objects.");
    return parseResult(NOTHING, messages);
  }
  const count = dictionaries.reduce((sum, each) => sum + Object.keys(each).length, 0);
  if (!checkCount(Math.max(count, dictionaries.length), messages)) return parseResult(NOTHING, messages);
  if (dictionaries.length === 0) return parseResult(EVERYTHING, messages);
  const unknown = createUnknownMessage(map, []);
  const alternatives = dictionaries.map((dictionary) =>
    and(
      ...Object.entries(dictionary).map(([name, value]) => parseKey({ name, value, map, messages, unknown })),
    )
  );
  return parseResult(or(...alternatives), messages);
}

/** Returns whether a JSON value is an object. */
export function isDictionary(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function parseKey(
  { name, value, map, messages, unknown }: {
    name: string;
    value: unknown;
    map: FieldMap;
    messages: Messages;
    unknown: (name: string) => string;
  },
): Condition {
  const resolved = resolveName(map, name);
  if (resolved === undefined) {
    addMessage(messages, name, unknown(name));
    return NOTHING;
  }
  const spec: ValueSpec = {
    field: resolved.field,
    byId: true,
    operator: resolved.operator ?? "exact",
    regexes: NO_REGEXES,
  };
  const nullable = takesNull(resolved, spec);
  const values = readValues(Array.isArray(value) ? value : [value], {
    name,
    messages,
    read: (json) => json === null && nullable ? { value: null } : readConstraintValue(json, spec),
  });
  return compareAny(resolved, { operator: spec.operator, values });
}
