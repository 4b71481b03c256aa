/** Finds the filter that was probably meant. */

import { distance } from "fastest-levenshtein";
import type { FieldMap } from "./field_map.ts";
import { listNames } from "./describe_filters.ts";
import { fieldOf, targetOf } from "./names.ts";

/** Characters of a name beyond which nobody mistyped a filter. */
const MAX_NAME_CHARS = 64;
/** Unknown names of one request for which a suggestion is sought; each costs a few hundred comparisons. */
const MAX_SUGGESTIONS = 10;

/** Words the message for unknown names; stops searching for suggestions after some of them. */
export function createUnknownMessage(map: FieldMap, extra: Iterable<string>): (name: string) => string {
  const known = [...extra];
  let left = MAX_SUGGESTIONS;
  return (name) => {
    const best = left-- > 0 ? nearest(name, [...known, ...candidates(map, name)]) : undefined;
    return best === undefined ? "Unknown filter." : `Unknown filter. Did you mean “${best}”?`;
  };
}

/** The nearest of `names` within one edit for each three characters, three edits at the most. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_CHARS) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const edits = distance(name, candidate);
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Names of the map, and of the related map when the name begins with a relation. */
function* candidates(map: FieldMap, name: string): Generator<string> {
  if (name.length > MAX_NAME_CHARS) return;
  for (const { name: known } of listNames(map, { long: true })) yield known;
  let prefix = "";
  let current = map;
  for (const segment of name.split("__")) {
    const field = fieldOf(current, segment);
    const target = field === undefined ? undefined : targetOf(field);
    if (target === undefined) return;
    prefix += `${segment}__`;
    current = target;
    for (const { name: known } of listNames(current, { long: true })) yield prefix + known;
  }
}
