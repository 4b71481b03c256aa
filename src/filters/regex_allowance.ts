/** The number of regular expressions that a request may use in all of its filters. */

import { MAX_REGEX_PATTERNS } from "../base/limits.ts";

/** Remaining regular expressions, shared by all filters of one request. */
export interface RegexAllowance {
  left: number;
  /** Message for the first one that exceeds the allowance. */
  readonly refusal: string;
}

/** Returns the allowance of one request. */
export function regexAllowance(): RegexAllowance {
  return {
    left: MAX_REGEX_PATTERNS,
    refusal: `Use at most ${MAX_REGEX_PATTERNS} regular expressions in one request.`,
  };
}

/** Returns an allowance of none. @param place for the message: `in constraints`. */
export function noRegexes(place: string): RegexAllowance {
  return { left: 0, refusal: `Regular expressions cannot be used ${place}.` };
}

/** Uses one regular expression of an allowance; returns a message if none is left. */
export function takeRegex(allowance: RegexAllowance): string | undefined {
  if (allowance.left <= 0) return allowance.refusal;
  allowance.left -= 1;
  return undefined;
}
