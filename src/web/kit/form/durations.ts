/** Durations in forms: minutes as a number with a unit. */

import { counted } from "../../../base/amounts.ts";
import { type Field, isCustomMember, shapeOf } from "../../../resource/mod.ts";

const UNITS = [[1_440, "day"], [60, "hour"], [1, "minute"]] as const;

/** Returns whether a field is a number of minutes. */
export function isDuration(field: Field): boolean {
  return field.name.endsWith("_minutes") && !isCustomMember(field) && shapeOf(field).kind === "integer";
}

/** Formats minutes with the largest unit that divides them: `7 days`. */
export function durationText(minutes: number): string {
  const [size, unit] = UNITS.find(([one]) => minutes % one === 0) ?? [1, "minute"];
  return counted(minutes / size, unit);
}

/** Units as users write them. */
const MINUTES: readonly [unit: RegExp, minutes: number][] = [
  [/^(m|min|minutes?)?$/i, 1],
  [/^(h|hours?)$/i, 60],
  [/^(d|days?)$/i, 1_440],
];

/** Returns the minutes of `7 days`, `6 h` or `90`; undefined for anything else. */
export function minutesOf(text: string): number | undefined {
  const [, count, unit = ""] = /^\s*(\d[\d,]{0,11})\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const size = MINUTES.find(([pattern]) => pattern.test(unit))?.[1];
  return count === undefined || size === undefined ? undefined : Number(count.replaceAll(",", "")) * size;
}
