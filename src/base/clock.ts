/** Time is an argument: only entry points read the system clock. */

/** Milliseconds since the epoch, as stored in every datetime column. */
export type Millis = number;

/** A source of the current time. */
export interface Clock {
  now(): Millis;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the start of the UTC day of `at`. */
export function startOfDay(at: Millis): Millis {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/**
 * Returns the number of calendar days (UTC) from the day of `now` to the day of `at`; negative for a day in
 * the past.
 */
export function daysUntil(at: Millis, now: Millis): number {
  return (startOfDay(at) - startOfDay(now)) / DAY_MS;
}

/** Returns the number of days from one date (`2026-11-20`) to another. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** Returns the time a number of days later. */
export function addDays(at: Millis, count: number): Millis {
  return at + count * DAY_MS;
}

/** Returns the date (`2026-11-20`) a number of days later. */
export function dateAfter(date: string, count: number): string {
  return formatDate(addDays(Date.parse(date), count));
}

/** Returns whether a time, as the API has it, is not in the future. */
export function hasPassed(datetime: string, now: Millis): boolean {
  return Date.parse(datetime) <= now;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const HOURS = TWO_DIGITS.slice(0, 24).map((hour) => `T${hour}:`);
const SECONDS = TWO_DIGITS.map((second) => `:${second}Z`);
/** Formatted dates by start of the day. Cached, because lists contain the same days many times. */
const days = new Map<Millis, string>();
const MAX_DAYS = 10_000;

/** Formats a time as `2026-11-20T09:22:19Z`, with microseconds (`.123000`) if they are not zero. */
export function formatDatetime(at: Millis): string {
  const day = startOfDay(at);
  const fraction = (at - day) % 1000;
  const seconds = Math.floor((at - day) / 1000);
  const hour = HOURS[Math.floor(seconds / 3600)] ?? "";
  const minute = TWO_DIGITS[Math.floor(seconds / 60) % 60] ?? "";
  const time = hour + minute + (SECONDS[seconds % 60] ?? "");
  if (fraction === 0) return formatDate(day) + time;
  return `${formatDate(day)}${time.slice(0, -1)}.${String(fraction).padStart(3, "0")}000Z`;
}

/** Formats a day as `2026-11-20`. Years after 9999 have the expanded notation (`+010000-01-01`, ISO 8601). */
export function formatDate(at: Millis): string {
  const day = startOfDay(at);
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const [text = ""] = new Date(day).toISOString().split("T");
  days.set(day, text);
  return text;
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Parses an ISO 8601 datetime with or without an offset (UTC by default), or a date (start of the day, UTC);
 * undefined for impossible dates and times. Truncates to milliseconds.
 */
export function parseDatetime(text: string): Millis | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const midnight = startOfDate(Number(match[1]), Number(match[2]), Number(match[3]));
  if (midnight === undefined || match[4] === undefined) return midnight;
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = parseOffset(match[8]);
  if (offset === undefined) return undefined;
  const fraction = match[7] === undefined ? 0 : Number(match[7].padEnd(3, "0").slice(0, 3));
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction;
}

/** Returns the start of the day in UTC; undefined if the calendar has no such day. */
function startOfDate(year: number, month: number, day: number): Millis | undefined {
  const date = new Date(0);
  const start = date.setUTCFullYear(year, month - 1, day);
  // Date turns 31 April into 1 May. The year need not be compared: it changes only together with the month.
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? start : undefined;
}

/** Returns the offset in minutes east of UTC; undefined if it is out of range. */
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === "Z") return 0;
  const digits = text.slice(1).replace(":", "").padEnd(4, "0");
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
