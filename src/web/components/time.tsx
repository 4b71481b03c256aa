/** Moments and days: written in UTC; a script writes moments in the reader's zone and leaves the UTC in the title. */

import type { Html } from "./html.ts";

/** A moment, from ISO 8601 in UTC: `2026-11-20 09:22 UTC`. */
export function Time({ at }: { at: string | null }): Html {
  if (at === null) return <span class="faint">–</span>;
  const utc = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return <time datetime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`} data-time>{utc}</time>;
}

/** The day of a moment, from ISO 8601 in UTC: `2026-11-20`. */
export function Day({ at }: { at: string | null }): Html {
  if (at === null) return <span class="faint">–</span>;
  return (
    <time datetime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`} data-day>{at.slice(0, 10)}</time>
  );
}
