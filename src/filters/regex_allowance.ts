/** How many regular expressions a request may use, whatever their number of filters, and where none may stand. */

import { MAX_REGEX_PATTERNS } from "../base/limits.ts";

/** Regular expressions that may still be used; shared by all filters of one request. */
export interface RegexAllowance {
  left: number;
  /** What is said of the first one too many. */
  readonly refusal: string;
}

/** Returns the allowance of one request. */
export function regexAllowance(): RegexAllowance {
  return {
    left: MAX_REGEX_PATTERNS,
    refusal: `Use at most ${MAX_REGEX_PATTERNS} regular expressions in one request.`,
  };
}

/** Returns an allowance of none. @param place where they would be: `in constraints`. */
export function noRegexes(place: string): RegexAllowance {
  return { left: 0, refusal: `Regular expressions cannot be used ${place}.` };
}

/** Takes one regular expression out of an allowance; returns a message when none is left. */
export function takeRegex(allowance: RegexAllowance): string | undefined {
  if (allowance.left <= 0) return allowance.refusal;
  allowance.left -= 1;
  return undefined;
}
