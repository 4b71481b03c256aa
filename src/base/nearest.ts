/** Finds the most similar of several names, for suggestions. */

import { distance } from "fastest-levenshtein";

/** Maximum length of a name for which a suggestion is made. */
export const MAX_MISSPELLED_CHARS = 64;

/** Returns the most similar of `names` within one edit per three characters, at most three edits. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_MISSPELLED_CHARS) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const edits = distance(name, candidate);
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}
