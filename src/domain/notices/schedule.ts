/** When digests are sent: at a time of day in a time zone. */

import { DAY_MS, type Millis } from "../../base/clock.ts";

/** How often a subscription sends. */
export const MODES = ["immediate", "daily", "weekly"] as const;
export type Mode = typeof MODES[number];

/** A time of day in a time zone. */
export interface Schedule {
  readonly mode: Mode;
  /** `08:00`. */
  readonly at: string;
  /** A name of the IANA database, or `UTC`. */
  readonly timeZone: string;
}

const MONDAY = 1;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(timeZone, format);
  return format;
}

/** Whether a text names a time zone. */
export function isTimeZone(text: string): boolean {
  // Offsets (+01:00) are valid for Intl, but have no daylight saving time, which people expect.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the local time of a time zone as if it were UTC. */
export function localTime(at: Millis, timeZone: string): Millis {
  const parts = Object.fromEntries(
    formatOf(timeZone).formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>;
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns the time at which clocks of a time zone show `local`; one hour later if they skip it. */
function fromLocal(local: Millis, timeZone: string): Millis {
  const guess = local - (localTime(local, timeZone) - local);
  return local - (localTime(guess, timeZone) - guess);
}

/** Returns the first time after `after` at which a digest is sent. Weekly digests are sent on Mondays. */
export function nextDigest({ mode, at, timeZone }: Schedule, after: Millis): Millis {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  const today = Math.floor(localTime(after, timeZone) / DAY_MS) * DAY_MS;
  for (let days = 0; days <= 8; days++) {
    const day = today + days * DAY_MS;
    if (mode === "weekly" && new Date(day).getUTCDay() !== MONDAY) continue;
    const candidate = fromLocal(day + (hours * 60 + minutes) * 60_000, timeZone);
    if (candidate > after) return candidate;
  }
  throw new Error(`No digest within eight days after ${after} in ${timeZone}`);
}
