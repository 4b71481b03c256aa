/** When the authority of a certificate suggests that it is renewed (RFC 9773). Only renewal information writes them. */

import { sql } from "drizzle-orm";
import { daysUntil, type Millis } from "../../base/clock.ts";
import type { FilterField } from "../../filters/mod.ts";
import { columnOf, datetime, text, unrecorded } from "../../resource/mod.ts";

const fixed = { readOnly: true, nullable: true } as const;

export const RENEWAL_INFO_FIELDS = [
  datetime("renewal_window_start", {
    description: "From when its authority suggests that it is renewed (ACME Renewal Information).",
    ...fixed,
  }),
  datetime("renewal_window_end", {
    description: "Until when its authority suggests that it is renewed.",
    ...fixed,
  }),
  text("renewal_explanation_url", {
    description: "Where its authority explains the time, for example an incident.",
    max: 500,
    readOnly: true,
  }),
  unrecorded(datetime("renewal_info_checked_at", {
    description: "When its authority last said when it should be renewed.",
    ...fixed,
  })),
];

export const renewalInfoFilters: Readonly<Record<string, FilterField>> = {
  renewal_due: {
    kind: "predicate",
    type: "boolean",
    description: "The time for which its authority suggests the renewal has begun, and it has no successor",
    condition: (value: boolean, { alias, now }) => {
      const due = sql`(ifnull(${columnOf(alias, "renewal_window_start")} <= ${now}, 0)
        AND ${columnOf(alias, "status")} IN ('active', 'pending', 'expired')
        AND ${columnOf(alias, "replaced_by_id")} IS NULL)`;
      return value ? due : sql`NOT ${due}`;
    },
  },
};

/** Returns how the present relates to the window of a certificate without a successor; undefined without a window. */
export function renewalWindowState(
  { renewal_window_start: start, renewal_window_end: end }: {
    readonly renewal_window_start: string | null;
    readonly renewal_window_end: string | null;
  },
  now: Millis,
): "ahead" | "open" | "passed" | undefined {
  if (start === null || end === null) return undefined;
  if (now < Date.parse(start)) return "ahead";
  return now <= Date.parse(end) ? "open" : "passed";
}

/** Returns whether the window of a certificate ended before today, and it has neither a successor nor expired. */
export function isWindowPassed(
  { renewal_window_end: end = null, replaced_by: successor = null, valid_to, days_remaining: days }: {
    readonly renewal_window_end?: string | null;
    readonly replaced_by?: object | null;
    readonly valid_to: string;
    readonly days_remaining: number;
  },
): boolean {
  return end !== null && successor === null && days >= 0 &&
    days < daysUntil(Date.parse(valid_to), Date.parse(end));
}
