/** Parses permission constraints: JSON with Django's field lookups as keys. */

import { addOnce, ALL_FIELDS, type Finding, finding } from "../base/findings.ts";
import { type Condition, EVERYTHING, NOTHING } from "./ast.ts";
import { and, or } from "./combine.ts";
import { type FieldMap, resolveName } from "./field_map.ts";
import { noRegexes } from "./regex.ts";
import { createUnknown } from "./suggest.ts";
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
  const errors: Finding[] = [];
  if (json === null || json === undefined) return parseResult(EVERYTHING, errors);
  const dictionaries = Array.isArray(json) ? json : [json];
  if (!dictionaries.every(isDictionary)) {
    addOnce(
      errors,
      ALL_FIELDS,
      finding("enter", { expected: "an object with filters, or a list of such objects" }),
    );
    return parseResult(NOTHING, errors);
  }
  const count = dictionaries.reduce((sum, each) => sum + Object.keys(each).length, 0);
  if (!checkCount(Math.max(count, dictionaries.length), errors)) return parseResult(NOTHING, errors);
  if (dictionaries.length === 0) return parseResult(EVERYTHING, errors);
  const unknown = createUnknown(map, []);
  const alternatives = dictionaries.map((dictionary) =>
    and(
      ...Object.entries(dictionary).map(([name, value]) => parseKey({ name, value, map, errors, unknown })),
    )
  );
  return parseResult(or(...alternatives), errors);
}

/** Returns whether a JSON value is an object. */
export function isDictionary(json: unknown): json is Record<string, unknown> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function parseKey(
  { name, value, map, errors, unknown }: {
    name: string;
    value: unknown;
    map: FieldMap;
    errors: Finding[];
    unknown: (name: string) => Finding;
  },
): Condition {
  const resolved = resolveName(map, name);
  if (resolved === undefined) {
    addOnce(errors, name, unknown(name));
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
    errors,
    read: (json) => json === null && nullable ? { value: null } : readConstraintValue(json, spec),
  });
  return compareAny(resolved, { operator: spec.operator, values });
}
