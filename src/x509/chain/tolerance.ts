/**
 * Failures that a search tolerates. A failing chain is searched again with more tolerance, so that the result reports
 * the closest path: first one that is only out of date, then one that violates a rule, and so on.
 */

import type { FailureCode, PathFailure } from "./types.ts";

/** Failures that a search accepts on a path. */
export interface Tolerance {
  /** Certificates outside their validity period. */
  readonly time: boolean;
  /** Any other rule except signatures. */
  readonly rules: boolean;
  /** Signatures that do not verify or cannot be checked. */
  readonly signatures: boolean;
}

export const NO_TOLERANCE: Tolerance = { time: false, rules: false, signatures: false };
export const TIME: Tolerance = { ...NO_TOLERANCE, time: true };
export const RULES: Tolerance = { ...NO_TOLERANCE, rules: true };
export const TIME_AND_RULES: Tolerance = { ...TIME, rules: true };
export const ANYTHING: Tolerance = { ...TIME_AND_RULES, signatures: true };

/** Returns whether all failures are about the validity period. */
export function isOnlyLate(failures: readonly PathFailure[]): boolean {
  return failures.every(({ code }) => tolerates(TIME, code));
}

/** Returns whether a failure is tolerated. A limit never is, because it hides other failures. */
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
