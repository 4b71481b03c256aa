/** When digests are sent: at a time of day in a time zone. */

import { DAY_MS, type Millis } from "../../base/clock.ts";
import { localTime } from "../../base/time_zones.ts";

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
/** Returns the time at which clocks in a time zone show `local`, or one hour later if they skip it. */
function fromLocal(local: Millis, timeZone: string): Millis {
  const guess = local - (localTime(local, timeZone) - local);
  return local - (localTime(guess, timeZone) - guess);
}

/** Returns the next time after `after` at which a digest is sent. Weekly digests are sent on Mondays. */
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
