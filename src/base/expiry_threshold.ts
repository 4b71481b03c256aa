/** How long before its end a validity is to be announced: so many days, or so much of the lifetime left. */

import { DAY_MS, type Millis, startOfDay } from "./clock.ts";
import { MAX_EXPIRY_NOTICES, MAX_NOTICE_DAYS } from "./limits.ts";

/** A period of validity. */
export interface Validity {
  readonly validFrom: Millis;
  readonly validTo: Millis;
}

/** One threshold, as read from `30d` or `33%`. */
export interface ExpiryThreshold {
  /** Days: calendar days (UTC) left. Percent: of the whole lifetime left. */
  readonly unit: "days" | "percent";
  readonly amount: number;
}

/** What a threshold must look like, for messages. */
export const EXPECTED_THRESHOLD =
  `days from 0d to ${MAX_NOTICE_DAYS}d or a part of the lifetime from 1% to 99%`;

const FORM = /^(0|[1-9]\d{0,3})(d|%)$/;

/** Reads `30d` or `33%`; undefined for anything else. */
export function parseThreshold(text: string): ExpiryThreshold | undefined {
  const [, digits, sign] = FORM.exec(text) ?? [];
  const amount = Number(digits);
  if (sign === "d" && amount <= MAX_NOTICE_DAYS) return { unit: "days", amount };
  if (sign === "%" && amount >= 1 && amount <= 99) return { unit: "percent", amount };
  return undefined;
}

/** What is wrong with a list of thresholds, each by itself well-formed; undefined when nothing is. */
export function listFault(texts: readonly string[]): string | undefined {
  if (texts.length > MAX_EXPIRY_NOTICES) return tooManyThresholds(texts.length);
  const twice = texts.find((text, index) => texts.indexOf(text) < index);
  return twice === undefined ? undefined : `each threshold once, not ${twice} twice`;
}

/** What is said of a list that is too long. */
export function tooManyThresholds(count: number): string {
  return `at most ${MAX_EXPIRY_NOTICES} thresholds, not ${count}`;
}

/**
 * First moment at which a validity has passed a threshold. A day counts from its beginning, as `days_remaining` does;
 * a part of the lifetime to the millisecond.
 */
export function passedFrom({ unit, amount }: ExpiryThreshold, { validFrom, validTo }: Validity): Millis {
  if (unit === "days") return startOfDay(validTo) - amount * DAY_MS;
  const lifetime = validTo - validFrom;
  // In two parts: lifetimes of some thousand years times 99 leave the exact integers.
  return validTo - Math.floor(lifetime / 100) * amount - Math.floor((lifetime % 100) * amount / 100);
}
