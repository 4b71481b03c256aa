/** Decides which threshold of a certificate gets an event. */

import {
  type ExpiryThreshold,
  parseThreshold,
  passedFrom,
  type Validity,
} from "../../../base/expiry_threshold.ts";
import type { Millis } from "../../../base/clock.ts";

/** A certificate's validity, its thresholds, and those that it had reached before. */
export interface NoticeState extends Validity {
  readonly thresholds: readonly string[];
  /** Thresholds that are marked as passed for this validity, including removed ones. */
  readonly passed: readonly string[];
}

export interface NoticeDecision {
  /** The nearest threshold that was reached; undefined if it or a nearer one had an event already. */
  readonly announced: string | undefined;
  /** All thresholds that are reached now and were not before, including `announced`. */
  readonly passing: readonly string[];
}

/**
 * Evaluates the thresholds of a certificate. If several are reached at once, only the nearest gets an event.
 */
export function evaluateThresholds(
  { thresholds, passed, ...validity }: NoticeState,
  now: Millis,
): NoticeDecision {
  const at = (text: string): Millis => {
    const threshold: ExpiryThreshold | undefined = parseThreshold(text);
    return threshold === undefined ? Infinity : passedFrom(threshold, validity);
  };
  const reached = thresholds.filter((text) => at(text) <= now);
  const passing = reached.filter((text) => !passed.includes(text));
  const latest = Math.max(...passed.map(at).filter((time) => time <= now));
  const nearest = reached.toSorted((one, other) => at(other) - at(one))[0];
  const announced = nearest !== undefined && !passed.includes(nearest) && at(nearest) > latest
    ? nearest
    : undefined;
  return { announced, passing };
}
