/** Sizes, counts, percentages, days and lists of words as text for people. */

import { daysUntil, type Millis } from "./clock.ts";

const UNITS = ["bytes", "KB", "MB"] as const;

/**
 * Formats a size as `900 bytes`, `12 KB` or `5.25 MB` (1 KB = 1,024 bytes), precisely enough to differ from a
 * limit.
 */
export function sizeText(bytes: number): string {
  const power = bytes < 1_024 ? 0 : bytes < 1_024 ** 2 ? 1 : 2;
  const exact = bytes / 1_024 ** power;
  const rounded = Math.ceil(exact * 100) / 100;
  return `${rounded.toLocaleString("en-US", { maximumFractionDigits: 2 })} ${UNITS[power]}`;
}

/**
 * Created once, because `toLocaleString` creates one for each number, which takes a tenth of the time of a list; and
 * not at the start, because the first format of a process loads language data.
 */
let format: Intl.NumberFormat | undefined;

/** Formats a number with thousands separators: `1,000`. */
export function numberText(value: number): string {
  // Smaller ones have none.
  if (Number.isInteger(value) && Math.abs(value) < 1_000) return String(value);
  format ??= new Intl.NumberFormat("en");
  return format.format(value);
}

/** Formats a count with its noun: `1 row`, `2 rows`, `1,000 policies`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** Returns "in 23 days", "today" or "3 days ago". */
export function daysText(days: number): string {
  if (days === 0) return "today";
  return days > 0 ? `in ${counted(days, "day")}` : `${counted(-days, "day")} ago`;
}

/** Returns the days until a time, as the API has it: "in 23 days", "today" or "3 days ago". */
export function whenText(datetime: string, now: Millis): string {
  return daysText(daysUntil(Date.parse(datetime), now));
}

/** Returns "expires in 23 days", "expires today", "expired today" or "expired 3 days ago". */
export function expiryText(days: number, isExpired = days < 0): string {
  return `${isExpired ? "expired" : "expires"} ${daysText(days)}`;
}

/** Formats a percentage with one decimal, except for none and all. */
export function percentText(value: number): string {
  return `${value === 0 || value === 100 ? value : value.toFixed(1)} %`;
}

/** Returns a text for the middle of a sentence: "Connection lost" becomes "connection lost", "SHA-256" does not change. */
export function uncapitalized(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

/** Created once, because each takes a while, and not at the start, because the first loads language data. */
const lists: { and?: Intl.ListFormat; or?: Intl.ListFormat } = {};

/** Joins words: `rsa, ecdsa and ed25519`. */
export function listText(words: Iterable<string>, last: "and" | "or" = "and"): string {
  const list = lists[last] ??= new Intl.ListFormat("en-GB", {
    type: last === "and" ? "conjunction" : "disjunction",
  });
  return list.format(words);
}
