/**
 * How much a search lets pass. A chain that fails is searched again with more tolerance, so that the verdict is about
 * the path that comes closest: first one that is merely out of date, then one that breaks a rule, and so on.
 */

import type { Failure, FailureCode } from "./types.ts";

/** What may be wrong with the path that a search finds. */
export interface Tolerance {
  /** Certificates out of date. */
  readonly time: boolean;
  /** Any other rule but signatures. */
  readonly rules: boolean;
  /** Signatures that do not verify or cannot be checked. */
  readonly signatures: boolean;
}

export const NOTHING: Tolerance = { time: false, rules: false, signatures: false };
export const TIME: Tolerance = { ...NOTHING, time: true };
export const RULES: Tolerance = { ...NOTHING, rules: true };
export const TIME_AND_RULES: Tolerance = { ...TIME, rules: true };
export const ANYTHING: Tolerance = { ...TIME_AND_RULES, signatures: true };

/** Whether there is nothing wrong but certificates out of date. */
export function isOnlyLate(failures: readonly Failure[]): boolean {
  return failures.every(({ code }) => tolerates(TIME, code));
}

/** Whether a failure is let pass. A limit never is: what it hides is not known. */
export function tolerates(tolerance: Tolerance, code: FailureCode): boolean {
  switch (code) {
    case "limit":
      return false;
    case "expired":
    case "not_yet_valid":
      return tolerance.time;
    case "bad_signature":
    case "unsupported_algorithm":
      return tolerance.signatures;
    default:
      return tolerance.rules;
  }
}
