/** Time zones of the IANA database. */

import type { Millis } from "./clock.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  // Names are not case-sensitive. So the cache has at most one format per zone.
  const name = timeZone.toLowerCase();
  const known = formats.get(name);
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
  formats.set(name, format);
  return format;
}

/** Returns whether a text is the name of a time zone. */
export function isTimeZone(text: string): boolean {
  // Intl accepts offsets (+01:00), but they have no daylight saving time, which people expect.
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
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
