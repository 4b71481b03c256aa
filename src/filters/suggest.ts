/** Suggests names for unknown filters. */

import { MAX_MISSPELLED_CHARS, nearest } from "../base/nearest.ts";
import { fieldByName, type FieldMap, resolveName, targetMapOf } from "./field_map.ts";
import { listNames } from "./describe_filters.ts";

/**
 * Maximum number of unknown names per request for which a suggestion is made. Each costs a few hundred
 * comparisons.
 */
const MAX_SUGGESTIONS = 10;

/** Returns a function that returns the message for an unknown name, with a suggestion for the first names. */
export function createUnknownMessage(map: FieldMap, extra: Iterable<string>): (name: string) => string {
  const known = [...extra];
  let left = MAX_SUGGESTIONS;
  return (name) => {
    const best = left-- > 0
      ? bySynonym(map, name) ?? nearest(name, [...known, ...candidates(map, name)])
      : undefined;
    return best === undefined ? "Unknown filter." : `Unknown filter. Did you mean “${best}”?`;
  };
}

/** Suffixes of other filter languages (django-filter, OData, plain English), and their equivalents. */
const SYNONYMS: Readonly<Record<string, string>> = {
  after: "gte",
  since: "gte",
  from: "gte",
  min: "gte",
  ge: "gte",
  before: "lte",
  until: "lte",
  to: "lte",
  max: "lte",
  le: "lte",
  gt: "gt",
  gte: "gte",
  lt: "lt",
  lte: "lte",
  ne: "n",
  not: "n",
  contains: "ic",
  icontains: "ic",
  like: "ic",
  startswith: "isw",
  istartswith: "isw",
  endswith: "iew",
  iendswith: "iew",
  isnull: "empty",
};

/**
 * Returns the name for a synonym of a suffix (`valid_from_after`), because the most similar name could mean
 * the opposite.
 */
function bySynonym(map: FieldMap, name: string): string | undefined {
  const [, field = "", word = ""] = /^(.+?)_{1,2}([a-z]+)$/i.exec(name) ?? [];
  if (!Object.hasOwn(SYNONYMS, word.toLowerCase())) return undefined;
  const meant = resolveName(map, field) === undefined ? nearest(field, Object.keys(map.fields)) : field;
  const suggested = `${meant}__${SYNONYMS[word.toLowerCase()]}`;
  return meant !== undefined && resolveName(map, suggested) !== undefined ? suggested : undefined;
}

/** Yields the names of the map, and those of related maps if the name begins with a relation. */
function* candidates(map: FieldMap, name: string): Generator<string> {
  if (name.length > MAX_MISSPELLED_CHARS) return;
  for (const { name: known } of listNames(map, { long: true })) yield known;
  let prefix = "";
  let current = map;
  for (const segment of name.split("__")) {
    const field = fieldByName(current, segment);
    const target = field === undefined ? undefined : targetMapOf(field);
    if (target === undefined) return;
    prefix += `${segment}__`;
    current = target;
    for (const { name: known } of listNames(current, { long: true })) yield prefix + known;
  }
}
