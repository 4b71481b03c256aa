/** Reads dates as people and programs write them. A date with several readings is never guessed. Pure. */

import { type Finding, finding } from "../findings.ts";
import { DAY_MS, formatDate, formatDatetime, HOUR_MS, type Millis, parseDatetime } from "../clock.ts";
import { visible } from "../quote.ts";

/** The convention by which a date with several readings is read. */
export type DateOrder = "day first" | "month first" | "year first" | "1900 dates" | "1904 dates";

interface Reading {
  /** `2027-12-31`, or `2027-12-31T23:59:59Z` if the text has a time. */
  readonly iso: string;
  /** Undefined if the notation has only one order. */
  readonly order?: DateOrder | undefined;
}

/** A text that is spelled as a date. `readings` is empty if the calendar does not have it. */
interface SpelledDate {
  /** The separator of its numbers, or `serial`; the dates of a column with one style have one order. */
  readonly style: string;
  readonly readings: readonly Reading[];
}

/** Longer texts are no dates. */
const MAX_DATE_CHARS = 96;
/** Beginnings of the names of months in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const MONTHS = "jan|ene|gen feb|fev mar|mrz|mrt apr|abr|avr may|mai|mag|mei jun|juin|giu jul|juil|lug " +
  "aug|ago|aou sep|set oct|okt|out|ott nov dec|dez|dic";
const MONTH_PATTERNS = MONTHS.split(" ").map((names) => new RegExp(`^(?:${names})`, "i"));
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Hours east of UTC that an abbreviation stands for; several countries use some of them. */
const ZONES: Readonly<Record<string, readonly number[]>> = {
  ...{ Z: [0], UTC: [0], GMT: [0], WET: [0], WEST: [1], CET: [1], CEST: [2], EET: [2], EEST: [3], MSK: [3] },
  ...{ BST: [1, 6], IST: [5.5, 1, 2], EST: [-5, 10], EDT: [-4, 11], CST: [-6, 8], CDT: [-5], MST: [-7, 8] },
  ...{ MDT: [-6], PST: [-8, 8], PDT: [-7], JST: [9], KST: [9], AEST: [10], AEDT: [11] },
};

const ZONE = String.raw`(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?|[A-Z]{1,4}`;
/** A time at the end, or before the year as OpenSSL and `date` write it. */
const TIME = new RegExp(
  String
    .raw`^(?<before>.+?)(?:,? |T)(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?` +
    String.raw`(?: ?(?<half>[ap])\.?m\.?)?(?: ?(?<zone>${ZONE}))?(?<year> \d{4}(?: (?<last>${ZONE}))?)?$`,
  "i",
);
/** UTCTime (RFC 5280, 4.1.2.5), and GeneralizedTime or the basic format of ISO 8601. */
const UTC_TIME = /^(\d\d)(\d{8})(\d\d)?(?=(?:Z|[+-]\d{4})$)/i;
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d{4})?)?$/i;
/** 31.12.2027, 12/31/27, 31-12-2027. */
const IN_DIGITS = /^(\d{1,2})([./-])(\d{1,2})\2'?(\d{4}|\d\d)$/;
/** 2027/12/31, 2027.12.31, 2027-1-5, 2027-Dec-31. */
const YEAR_FIRST =
  /^(?<year>\d{4})(?<style>[./ -])(?<month>\d{1,2}|\p{L}{3,10})\k<style>(?<day>\d{1,2})\.?$/u;
/** 31 Dec 2027, 31-Dec-27, 31. December 2027, 31 de diciembre de 2027. */
const DAY_MONTH =
  /^(?<day>\d{1,2})(?:st|nd|rd|th)?\.?[ /-](?:de )?(?<month>\p{L}{3,10})\.?,?(?: de)?[ /-](?<year>\d{4}|\d\d)$/iu;
/** Dec 31, 2027, December 31st 2027. */
const MONTH_DAY = /^(?<month>\p{L}{3,10})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})$/iu;

/** Returns the possible readings of a text as ISO 8601. */
export function readingsOf(text: string): string[] {
  return distinct(spelledDate(text)?.readings ?? []);
}

/** Returns the finding about a text that is not a date in ISO 8601, with the dates that can be meant. */
export function dateError(given: unknown, value: string, expected = "YYYY-MM-DD"): Finding {
  // An object may have any method, or none.
  const text = typeof given === "object" ? "" : String(given);
  const spelled = spelledDate(text);
  if (spelled?.readings.length === 0) return finding("impossible_date", { value, expected });
  const meant = distinct(spelled?.readings ?? []);
  return finding("invalid_date", { value, expected, suggestions: meant.length === 0 ? undefined : meant });
}

/** How the dates of a column with one style are read. */
export interface DateDecision {
  readonly style: string;
  /** One if it is decided, several if it is open, none if the dates contradict each other. */
  readonly orders: readonly DateOrder[];
  /** The texts that decided, or that contradict each other. */
  readonly examples: readonly string[];
}

/**
 * Decides by the dates of a column how those with several readings are read: one that has only one reading decides
 * for all. If none does, the readings that a person has chosen for some of them decide.
 */
export function decideDates(
  texts: Iterable<string>,
  chosen: Iterable<readonly [text: string, iso: string]> = [],
): Map<string, DateDecision> {
  const decisions = new Map<string, DateDecision>();
  const narrow = (text: string, style: string, own: readonly DateOrder[]): void => {
    const { orders, examples } = decisions.get(style) ?? { orders: undefined, examples: [] };
    const left = orders?.filter((one) => own.includes(one)) ?? own;
    const narrowed = orders === undefined ? own.length === 1 : left.length < orders.length;
    decisions.set(style, { style, orders: left, examples: narrowed ? [...examples, text] : examples });
  };
  for (const text of texts) {
    const { style = "", readings = [] } = spelledDate(text) ?? {};
    if (style !== "" && readings.length > 0) narrow(text, style, ordersOf(readings));
  }
  for (const [text, iso] of chosen) {
    const { style = "", readings = [] } = spelledDate(text) ?? {};
    const own = ordersOf(readings.filter((one) => one.iso === iso));
    const { orders = own } = decisions.get(style) ?? {};
    if (style !== "" && own.some((one) => orders.includes(one))) narrow(text, style, own);
  }
  return decisions;
}

/** Returns the reading of a date; undefined if it has none, or several and its column does not decide. */
export function readDate(
  text: string,
  decisions: ReadonlyMap<string, DateDecision> = new Map(),
): string | undefined {
  const spelled = spelledDate(text);
  if (spelled === undefined) return undefined;
  const orders = decisions.get(spelled.style)?.orders;
  const possible = spelled.readings.filter(({ order }) =>
    order === undefined || (orders?.includes(order) ?? true)
  );
  const [reading, ...others] = distinct(possible);
  return others.length === 0 ? reading : undefined;
}

function distinct(readings: readonly Reading[]): string[] {
  return [...new Set(readings.map(({ iso }) => iso))];
}

function ordersOf(readings: readonly Reading[]): DateOrder[] {
  return [...new Set(readings.flatMap(({ order }) => order ?? []))];
}

/** Returns what a text is spelled as; undefined if it is no date. */
function spelledDate(given: string): SpelledDate | undefined {
  if (given.length > MAX_DATE_CHARS) return undefined;
  const text = visible(given).replace(/ ?[年년月월] ?/g, "-").replace(/[日일]$|[日일](?= )/, "")
    .normalize("NFKD").replace(/\p{M}/gu, "").replace(/ \([^()]*\)$/, "")
    .replace(/(?<=\d)([./-]) (?=\d)/g, "$1");
  return numeric(text) ?? written(withSeparators(text));
}

/** Reads days of a spreadsheet, of which there are two systems, and Unix times. */
function numeric(text: string): SpelledDate | undefined {
  if (/^\d{5}(?:\.\d{1,15})?$/.test(text)) {
    const days = Number(text);
    const at = (order: DateOrder, epoch: Millis): Reading => {
      const seconds = Math.round((epoch + days * DAY_MS) / 1000) * 1000;
      return { order, iso: text.includes(".") ? formatDatetime(seconds) : formatDate(seconds) };
    };
    const readings = [at("1900 dates", Date.UTC(1899, 11, 30)), at("1904 dates", Date.UTC(1904, 0, 1))];
    return { style: "serial", readings };
  }
  if (!/^\d{10}(?:\d{3})?$/.test(text)) return undefined;
  return { style: "", readings: [{ iso: formatDatetime(Number(text.padEnd(13, "0"))) }] };
}

/** Writes `271231235959Z` and `20271231T235959Z` as `2027-12-31 23:59:59Z`. */
function withSeparators(text: string): string {
  const century = (_: string, year: string, rest: string, second = "00"): string =>
    `${year < "50" ? 20 : 19}${year}${rest}${second}`;
  return text.replace(UTC_TIME, century).replace(COMPACT, "$1-$2-$3 $4:$5:$6$7").replace(" ::", "");
}

/** Reads a date, and a time or a weekday if there is one; readings that do not fall on the weekday are left out. */
function written(text: string): SpelledDate | undefined {
  const time = TIME.exec(text)?.groups ?? {};
  const all = time.before === undefined ? text : time.before + (time.year ?? "").replace(/ [^ \d].*$/, "");
  const [, name = "", rest = all] = /^(\p{L}{3,9})\.?,? (.+)$/u.exec(all) ?? [];
  const weekday = WEEKDAYS.indexOf(name.slice(0, 3).toLowerCase());
  const dates = datesOf(weekday < 0 ? all : rest);
  const offsets = offsetsOf(time.zone ?? time.last);
  const clock = clockOf(time);
  if (dates === undefined || offsets === undefined || clock === undefined) return undefined;
  const readings = dates.flatMap(({ order, year, month, day }) => {
    const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
    const midnight = parseDatetime(date);
    if (midnight === undefined || (weekday >= 0 && new Date(midnight).getUTCDay() !== weekday)) return [];
    if (clock === "") return [{ order, iso: date }];
    const local = parseDatetime(`${date}T${clock}`) ?? midnight;
    return offsets.map((hours) => ({ order, iso: formatDatetime(local - hours * HOUR_MS) }));
  });
  return { style: dates[0]?.style ?? "", readings };
}

type DateParts = Record<"year" | "month" | "day", string> & { style?: string; order?: DateOrder };

/** Returns the dates that a text can mean, which the calendar may not have; undefined if it is no date. */
function datesOf(text: string): DateParts[] | undefined {
  const named = (YEAR_FIRST.exec(text) ?? DAY_MONTH.exec(text) ?? MONTH_DAY.exec(text))?.groups;
  if (named !== undefined) {
    const { year = "", month = "", day = "" } = named;
    const number = /\d/.test(month) ? month : String(MONTH_PATTERNS.findIndex((one) => one.test(month)) + 1);
    if (number === "0" && month !== "0") return undefined;
    return yearsOf(year).map((one) => ({ year: one, month: number, day }));
  }
  const [, first = "", style = "", second = "", third = ""] = IN_DIGITS.exec(text) ?? [];
  if (first === "") return undefined;
  const yearFirst = third.length === 4 || first.length === 1 ? [] : yearsOf(first);
  return [
    ...yearsOf(third).flatMap((year): DateParts[] => [
      { style, order: "day first", year, month: second, day: first },
      { style, order: "month first", year, month: first, day: second },
    ]),
    ...yearFirst.map((year): DateParts => ({ style, order: "year first", year, month: second, day: third })),
  ];
}

/** Returns the years that a text can mean: of those with two digits, only 50 to 99 have two. */
function yearsOf(text: string): string[] {
  if (text.length === 4) return [text];
  return Number(text) < 50 ? [`20${text}`] : [`19${text}`, `20${text}`];
}

/** Returns a time of 24 hours, an empty text without a time, and undefined for one that does not exist. */
function clockOf(
  { hour, minute, second = "00", fraction = "", half }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (hour === undefined) return "";
  const given = Number(hour);
  if (half !== undefined && (given < 1 || given > 12)) return undefined;
  const hours = half === undefined ? given : given % 12 + (half.toLowerCase() === "p" ? 12 : 0);
  const clock = `${String(hours).padStart(2, "0")}:${minute}:${second}${fraction && `.${fraction}`}`;
  return parseDatetime(`2000-01-01T${clock}`) === undefined ? undefined : clock;
}

/** Returns the hours east of UTC that a zone can mean; undefined for an unknown one. */
function offsetsOf(zone = "Z"): readonly number[] | undefined {
  const name = zone.toUpperCase();
  if (Object.hasOwn(ZONES, name)) return ZONES[name];
  const [, sign, hours = "", minutes = "0"] = /([+-])(\d\d?):?(\d\d)?$/.exec(name) ?? [];
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  return [(sign === "-" ? -1 : 1) * (Number(hours) + Number(minutes) / 60)];
}
