/** Times and dates in UTC. A script shows times in the reader's time zone, with UTC in the title. */

import type { Html } from "./html.ts";

/** Shows a time from ISO 8601 in UTC: `2026-11-20 09:22 UTC`. */
export function Time({ at }: { at: string | null }): Html {
  if (at === null) return <span class="faint">–</span>;
  const utc = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return <time datetime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`} data-time>{utc}</time>;
}

/**
 * Shows the date of a time from ISO 8601 in UTC: `2026-11-20`. The title has the time, except on a phone, whose
 * text is already a valid date (HTML §4.5.14).
 */
export function Day({ at, phone = false }: { at: string | null; phone?: boolean }): Html {
  if (at === null) return <span class="faint">–</span>;
  const day = at.slice(0, 10);
  return phone
    ? <time>{day}</time>
    : <time datetime={at} title={`${day} ${at.slice(11, 19)} UTC`}>{day}</time>;
}
