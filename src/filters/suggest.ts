/** Suggests names for unknown filters. */

import { type Finding, finding } from "../base/findings.ts";
import { MAX_MISSPELLED_CHARS, nearest } from "../base/nearest.ts";
import { fieldByName, type FieldMap, targetMapOf } from "./field_map.ts";
import { listNames } from "./describe_filters.ts";

/**
 * Maximum number of unknown names per request for which a suggestion is made. Each costs a few hundred
 * comparisons.
 */
const MAX_SUGGESTIONS = 10;

/** Returns a function that returns the finding for an unknown name, with a suggestion for the first names. */
export function createUnknown(map: FieldMap, extra: Iterable<string>): (name: string) => Finding {
  const known = [...extra];
  let left = MAX_SUGGESTIONS;
  return (name) => {
    const suggestion = left-- > 0 ? nearest(name, [...known, ...candidates(map, name)]) : undefined;
    return finding("unknown_filter", { suggestion });
  };
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
