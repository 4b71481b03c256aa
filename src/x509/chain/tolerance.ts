/**
 * Failures that a search tolerates. A chain that fails is searched again with more tolerance, so that the
 * result reports the path that is closest to a valid one: first one that is only outside its validity period,
 * then one that violates a rule, and so on.
 */

import type { FailureCode, PathFailure } from "./types.ts";

/** Failures that a search accepts on a path. */
export interface Tolerance {
  /** Certificates outside their validity period. */
  readonly time: boolean;
  /** Any other rule except signatures. */
  readonly rules: boolean;
  /** Signatures that are invalid or cannot be checked. */
  readonly signatures: boolean;
}

export const NO_TOLERANCE: Tolerance = { time: false, rules: false, signatures: false };
export const TIME: Tolerance = { ...NO_TOLERANCE, time: true };
export const RULES: Tolerance = { ...NO_TOLERANCE, rules: true };
export const TIME_AND_RULES: Tolerance = { ...TIME, rules: true };
export const ANYTHING: Tolerance = { ...TIME_AND_RULES, signatures: true };

/** Returns whether all failures concern validity periods. */
export function isOnlyOutOfDate(failures: readonly PathFailure[]): boolean {
  return failures.every(({ code }) => tolerates(TIME, code));
}

/** Returns whether a failure is tolerated. A reached limit never is, because it hides other failures. */
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
