/** What is to be announced of one certificate. */

import {
  type ExpiryThreshold,
  parseThreshold,
  passedFrom,
  type Validity,
} from "../../../base/expiry_threshold.ts";
import type { Millis } from "../../../base/clock.ts";

/** A certificate's validity, the thresholds that hold for it, and those of them that are dealt with. */
export interface Notified extends Validity {
  readonly thresholds: readonly string[];
  /** Thresholds that this validity is known to have passed, whether they hold still or not. */
  readonly passed: readonly string[];
}

/** What follows. */
export interface Judgement {
  /** The nearest threshold that was passed; undefined when a nearer one, or this one, was announced already. */
  readonly announced: string | undefined;
  /** All thresholds that are passed now and were not before, the announced one among them. */
  readonly passing: readonly string[];
}

/** Judges a certificate at a moment. When several thresholds are passed at once, only the nearest is announced. */
export function judgeNotices({ thresholds, passed, ...validity }: Notified, now: Millis): Judgement {
  const at = (text: string): Millis => {
    const threshold: ExpiryThreshold | undefined = parseThreshold(text);
    return threshold === undefined ? Infinity : passedFrom(threshold, validity);
  };
  const reached = thresholds.filter((text) => at(text) <= now);
  const passing = reached.filter((text) => !passed.includes(text));
  const latest = Math.max(...passed.map(at).filter((moment) => moment <= now));
  const nearest = reached.toSorted((one, other) => at(other) - at(one))[0];
  const announced = nearest !== undefined && !passed.includes(nearest) && at(nearest) > latest
    ? nearest
    : undefined;
  return { announced, passing };
}
