/** Reads dates as people and programs write them. Pure. */

import { parseDatetime } from "../../../base/clock.ts";

/** Longer texts are no dates. */
const MAX_DATE_CHARS = 64;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** 31.12.2027, 31/12/2027 or 12/31/2027, 31-12-2027. */
const IN_DIGITS = /^(?<first>\d{1,2})(?<separator>[./-])(?<second>\d{1,2})\k<separator>(?<year>\d{4})$/;
/** 2027/12/31, 2027.12.31, 2027-1-5. */
const YEAR_FIRST = /^(?<year>\d{4})(?<separator>[./-])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})$/;
/** 31 Dec 2027, 31-Dec-2027, 31. December 2027. */
const DAY_MONTH = /^(?<day>\d{1,2})\.?[ -](?<month>[a-z]{3,9})\.?,?[ -](?<year>\d{4})$/i;
/** Dec 31, 2027, December 31 2027. */
const MONTH_DAY = /^(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/i;
/** Dec 31 23:59:59 2027 GMT, as OpenSSL writes it. */
const OPENSSL = /^(?<month>[a-z]{3}) (?<day>\d{1,2}) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4}) GMT$/i;
/** A time after a date, in UTC. */
const TIME = /^(?<date>.+?)(?:,? |T)(?<time>\d{1,2}:\d\d(?::\d\d)?)(?: ?(?:UTC|GMT|Z))?$/i;

/** Whether the month is before the day in dates with slashes. */
export type SlashOrder = "month first" | "day first";

/** Returns the possible readings as ISO 8601: none, one, or two for dates such as 1/5/2027. */
export function readingsOf(text: string): string[] {
  const { dates, time } = spelledDates(text);
  return valid(dates, time);
}

/** Returns whether a text is spelled as a date that the calendar does not have, such as 31.02.2027. */
export function isImpossibleDate(text: string): boolean {
  const { dates } = spelledDates(text);
  return dates.length > 0 && valid(dates, undefined).length === 0;
}

/** Returns the dates as which a text is spelled, which the calendar may not have, and the time after them. */
function spelledDates(text: string): { dates: readonly string[]; time?: string | undefined } {
  if (text.length > MAX_DATE_CHARS) return { dates: [] };
  const value = text.trim().replaceAll(/\s+/g, " ");
  const own = OPENSSL.exec(value)?.groups;
  if (own !== undefined) return { dates: isoOf(own), time: own.time };
  const { date = value, time } = TIME.exec(value)?.groups ?? {};
  const named = (YEAR_FIRST.exec(date) ?? DAY_MONTH.exec(date) ?? MONTH_DAY.exec(date))?.groups;
  if (named !== undefined) return { dates: isoOf(named), time };
  const parts = IN_DIGITS.exec(date)?.groups;
  if (parts === undefined) return { dates: [] };
  const { first, second, year, separator } = parts;
  const dayFirst = isoOf({ year, month: second, day: first });
  // Only dates with slashes are written with the month first.
  const monthFirst = separator === "/" ? isoOf({ year, month: first, day: second }) : [];
  return { dates: [...new Set([...dayFirst, ...monthFirst])], time };
}

/** Returns the reading of a date; undefined if it has none, or several and the order is not known. */
export function readingOf(text: string, order: SlashOrder | undefined): string | undefined {
  const [reading, other] = readingsOf(text);
  if (other === undefined || order === undefined) return other === undefined ? reading : undefined;
  return order === "day first" ? reading : other;
}

/** Returns the order of the dates with slashes, if one of them has only one reading and none has the other order. */
export function slashOrderOf(texts: Iterable<string>): SlashOrder | undefined {
  const orders = new Set<SlashOrder>();
  for (const text of texts) {
    const [, first = "", second = ""] = /^\s*(\d{1,2})\/(\d{1,2})\/\d{4}(?!\d)/.exec(text) ?? [];
    if (Number(first) > 12) orders.add("day first");
    if (Number(second) > 12) orders.add("month first");
  }
  const [order] = orders;
  return orders.size === 1 ? order : undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

/** Returns the date in the form of ISO 8601; none if the name of the month is unknown. */
function isoOf({ year = "", month = "", day = "" }: Parts): string[] {
  const number = /\d/.test(month) ? month : String(MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1);
  return number === "0" && month !== "0"
    ? []
    : [`${year}-${number.padStart(2, "0")}-${day.padStart(2, "0")}`];
}

function valid(dates: readonly string[], time: string | undefined): string[] {
  const seconds = time === undefined ? "" : time.length < 6 ? ":00" : "";
  const suffix = time === undefined
    ? ""
    : `T${time.padStart(time.split(":").length * 3 - 1, "0")}${seconds}Z`;
  return dates.map((date) => `${date}${suffix}`).filter((one) => parseDatetime(one) !== undefined);
}
