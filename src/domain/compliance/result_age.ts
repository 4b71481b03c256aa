/** The age of compliance results, which describe a certificate as it was when it was checked. */

import { daysText } from "../../base/amounts.ts";
import { daysUntil } from "../../base/clock.ts";
import type { Check } from "./checks.ts";

/**
 * Returns the age of a result that is from an earlier day, or older than a change of its certificate or policy; else
 * undefined.
 */
export function ageOf(
  { checked_at }: Pick<Check, "checked_at">,
  { now, changed }: { now: number; changed: readonly unknown[] },
): string | undefined {
  const at = Date.parse(checked_at);
  const days = daysUntil(at, now);
  if (days < 0) return daysText(days);
  // The times are equal if a check runs in the same commit as the change of its certificate.
  return changed.some((time) => typeof time === "string" && Date.parse(time) > at) ? "outdated" : undefined;
}

/** Returns the sentence of a result of this age: `On 2026-11-20: The certificate expires in 8 days.` */
export function datedMessage(
  check: Partial<Pick<Check, "message">> & Pick<Check, "checked_at">,
  age: string | undefined,
): string {
  const { message = "" } = check;
  return age === undefined || message === "" ? message : `On ${dayOf(check)}: ${message}`;
}

/** Returns the day on which a result was found. */
export function dayOf({ checked_at }: Pick<Check, "checked_at">): string {
  return checked_at.slice(0, 10);
}
