/** Notes that only printed lists have. */

import { numberText } from "../../../base/amounts.ts";
import { formatDatetime } from "../../../base/clock.ts";
import type { Call } from "../../call.ts";
import { type Html } from "../components/mod.ts";
import type { Listing } from "./read_list.ts";

/** Renders, for paper only, which part of the list is printed, because links to the rest are left out. */
export function PrintNote({ call, listing }: { call: Call; listing: Listing }): Html | null {
  const { offset, rows, count } = listing;
  if (rows.length === 0) return null;
  const time = formatDatetime(call.ctx.clock.now()).slice(0, 16).replace("T", " ");
  const place = rows.length < count
    ? ` (rows ${numberText(offset + 1)}–${numberText(offset + rows.length)})`
    : "";
  return (
    <p class="print-only">
      {shownOf(rows.length, count)}
      {place} · {time} UTC · {call.session.actor.username}
    </p>
  );
}

/**
 * Renders, for paper only, that a table has only a part of the objects that its heading counts; nothing if it has all.
 */
export function PrintedPart({ shown, count }: { shown: number; count: number }): Html | null {
  return shown < count ? <p class="print-only">{shownOf(shown, count)}</p> : null;
}

/** Returns "50 of 264", or "All 12". */
function shownOf(shown: number, count: number): string {
  return shown < count ? `${numberText(shown)} of ${numberText(count)}` : `All ${numberText(count)}`;
}
