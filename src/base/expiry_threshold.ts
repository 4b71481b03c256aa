/** Thresholds of expiry notices: remaining days, or the remaining part of the lifetime. */

import { DAY_MS, type Millis, startOfDay } from "./clock.ts";
import { MAX_EXPIRY_NOTICES, MAX_NOTICE_DAYS } from "./limits.ts";

/** A validity period. */
export interface Validity {
  readonly validFrom: Millis;
  readonly validTo: Millis;
}

/** A threshold, parsed from `30d` or `33%`. */
export interface ExpiryThreshold {
  /** `days`: remaining calendar days (UTC). `percent`: remaining part of the lifetime. */
  readonly unit: "days" | "percent";
  readonly amount: number;
}

/** The expected format of a threshold, for messages. */
export const EXPECTED_THRESHOLD =
  `days from 0d to ${MAX_NOTICE_DAYS}d or a part of the lifetime from 1% to 99%`;

/** The format as a pattern for schemas: at most 3650 days. */
export const THRESHOLD_PATTERN =
  "^((0|[1-9][0-9]{0,2}|[12][0-9]{3}|3[0-5][0-9]{2}|36[0-4][0-9]|3650)d|[1-9][0-9]?%)$";

const FORM = /^(0|[1-9]\d{0,3})(d|%)$/;

/** Parses `30d` or `33%`; undefined for any other text. */
export function parseThreshold(text: string): ExpiryThreshold | undefined {
  const [, digits, sign] = FORM.exec(text) ?? [];
  const amount = Number(digits);
  if (sign === "d" && amount <= MAX_NOTICE_DAYS) return { unit: "days", amount };
  if (sign === "%" && amount >= 1 && amount <= 99) return { unit: "percent", amount };
  return undefined;
}

/** Returns why a list of valid thresholds is invalid as a whole; undefined if it is valid. */
export function listFault(texts: readonly string[]): string | undefined {
  if (texts.length > MAX_EXPIRY_NOTICES) return tooManyThresholds(texts.length);
  const twice = texts.find((text, index) => texts.indexOf(text) < index);
  return twice === undefined ? undefined : `each threshold once, not ${twice} twice`;
}

/** Returns the message for a list that is too long. */
export function tooManyThresholds(count: number): string {
  return `at most ${MAX_EXPIRY_NOTICES} thresholds, not ${count}`;
}

/**
 * Returns the first time at which a validity period has reached a threshold. Days count from their start,
 * like `days_remaining`. A part of the lifetime counts in milliseconds.
 */
export function passedFrom({ unit, amount }: ExpiryThreshold, { validFrom, validTo }: Validity): Millis {
  if (unit === "days") return startOfDay(validTo) - amount * DAY_MS;
  const lifetime = validTo - validFrom;
  // Split into two parts, because a lifetime of a few thousand years times 99 exceeds the safe integers.
  return validTo - Math.floor(lifetime / 100) * amount - Math.floor((lifetime % 100) * amount / 100);
}
