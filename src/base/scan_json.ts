/** Scans JSON text before it is parsed, because parsing cannot be interrupted. */

import { MAX_JSON_DEPTH } from "./limits.ts";

/**
 * Maximum number of values in a JSON body: a thousand objects with 250 each. Each takes up to a hundred bytes
 * of memory, however short its JSON is.
 */
export const MAX_JSON_VALUES = 250_000;
/**
 * Maximum number of members of an object in a JSON body. Rows of imports have at most as many. Parsing and
 * validating 240,000 different names would take half a second.
 */
export const MAX_JSON_MEMBERS = 1_000;

const BACKSLASH = 92;
const QUOTE = 34;
const COMMA = 44;
/** Initial count in a list: so low that the commas of a body cannot raise it above zero. */
const NEVER_TOO_MANY = -(2 ** 30);

/**
 * Scans JSON text (UTF-8) before it is parsed. `excess` says that brackets are nested too deeply (so that other code
 * can be recursive), that there are too many values, or that an object has too many members. `illFormed`: an escape
 * (`\ud83d`) is an unpaired surrogate. Decoded UTF-8 contains no other surrogates.
 */
export function scanJson(
  bytes: Uint8Array,
  { maxValues = MAX_JSON_VALUES, maxMembers = MAX_JSON_MEMBERS, maxDepth = MAX_JSON_DEPTH } = {},
): { readonly excess?: string; readonly illFormed: boolean } {
  let depth = 0;
  // A comma separates two values of a list or object. The first value is counted at the bracket.
  let values = 1;
  // Number of members so far of the object at each depth, except very deep ones. Lists are not limited.
  const members = new Int32Array(MAX_JSON_DEPTH + 1);
  let tooWide = false;
  let inString = false;
  let illFormed = false;
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index];
    if (inString) {
      if (code === BACKSLASH) {
        const half = escapedHalf(bytes, index);
        if (half === "high" && escapedHalf(bytes, index + 6) === "low") index += 11;
        else {
          illFormed ||= half !== undefined;
          index++;
        }
      } else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 91 || code === 123) {
      if (++depth > maxDepth) return { excess: `nested deeper than ${maxDepth} levels.`, illFormed };
      members[depth] = code === 123 ? 1 : NEVER_TOO_MANY;
      values++;
    } else if (code === COMMA) {
      values++;
      if (++members[depth]! > maxMembers) tooWide = true;
    } else if (code === 93 || code === 125) depth--;
  }
  if (values > maxValues) {
    return { excess: `more than ${maxValues} values. Send several requests.`, illFormed };
  }
  return tooWide ? { excess: `an object has more than ${maxMembers} members.`, illFormed } : { illFormed };
}

/** Returns which half of a surrogate pair is escaped at a position (`\ud83d`), if any. */
function escapedHalf(bytes: Uint8Array, index: number): "high" | "low" | undefined {
  const isEscape = bytes[index] === BACKSLASH && bytes[index + 1] === 117;
  if (!isEscape || (bytes[index + 2]! | 32) !== 100) return undefined;
  const digit = bytes[index + 3]! | 32;
  // High: 8, 9, a, b. Low: c to f. The parser refuses other characters.
  if (digit === 56 || digit === 57 || digit === 97 || digit === 98) return "high";
  return digit >= 99 && digit <= 102 ? "low" : undefined;
}
