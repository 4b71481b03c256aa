/** Time as an argument: nothing below the entries reads the system clock. */

/** Milliseconds since the epoch, as stored in every datetime column. */
export type Millis = number;

/** The source of the present moment. */
export interface Clock {
  now(): Millis;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds of one day. */
export const DAY_MS = 86_400_000;

/** Start of the UTC day of `at`. */
export function startOfDay(at: Millis): Millis {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** Calendar days (UTC) from the day of `now` to the day of `at`; negative once past. */
export function daysUntil(at: Millis, now: Millis): number {
  return (startOfDay(at) - startOfDay(now)) / DAY_MS;
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
/** Dates by their first moment; a list shows the same days again and again. */
const days = new Map<Millis, string>();
const MAX_DAYS = 10_000;

/** `2026-11-20T09:22:19Z`; microseconds (`.123000`) only if they are not zero. */
export function formatDatetime(at: Millis): string {
  const day = startOfDay(at);
  const seconds = Math.floor((at - day) / 1000);
  const time = `${TWO_DIGITS[Math.floor(seconds / 3600)]}:${TWO_DIGITS[Math.floor(seconds / 60) % 60]}:${
    TWO_DIGITS[seconds % 60]
  }`;
  const fraction = (at - day) % 1000;
  return `${formatDate(day)}T${time}${fraction === 0 ? "" : `.${String(fraction).padStart(3, "0")}000`}Z`;
}

/** `2026-11-20`; years beyond 9999 as ISO 8601 has them (`+010000-01-01`). */
export function formatDate(at: Millis): string {
  const day = startOfDay(at);
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const text = new Date(day).toISOString().split("T")[0] as string;
  days.set(day, text);
  return text;
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Reads ISO 8601 with an offset, without one (UTC), or a bare date (its first moment, UTC).
 * Impossible dates and times give undefined; digits below a millisecond are cut.
 */
export function parseDatetime(text: string): Millis | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    return undefined;
  }
  const offset = parseOffset(match[8]);
  if (offset === undefined) return undefined;
  date.setUTCHours(hour, minute, second, Number((match[7] ?? "0").padEnd(3, "0").slice(0, 3)));
  return date.getTime() - offset * 60_000;
}

/** Minutes east of UTC; undefined when out of range. */
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === "Z") return 0;
  const digits = text.slice(1).replace(":", "").padEnd(4, "0");
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}
