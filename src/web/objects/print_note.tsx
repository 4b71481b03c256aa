/** What a printed list says about itself. */

import type { Call } from "../call.ts";
import type { Html } from "../components/mod.ts";
import type { Listing } from "./listing.ts";

/** Says on paper how much of the list the sheet has, because it leaves out the links to the rest. */
export function PrintNote({ call, listing }: { call: Call; listing: Listing }): Html | null {
  const { offset, rows, count } = listing;
  if (rows.length === 0) return null;
  const time = new Date(call.ctx.clock.now()).toISOString().slice(0, 16).replace("T", " ");
  const place = rows.length < count ? ` (rows ${number(offset + 1)}–${number(offset + rows.length)})` : "";
  return (
    <p class="print-only">
      {shownOf(rows.length, count)}
      {place} · {time} UTC · {call.session.actor.username}
    </p>
  );
}

/** Says on paper that a table has only a part of what its heading counts; nothing if it has everything. */
export function PrintedPart({ shown, count }: { shown: number; count: number }): Html | null {
  return shown < count ? <p class="print-only">{shownOf(shown, count)}</p> : null;
}

/** Returns "50 of 264", or "All 12". */
function shownOf(shown: number, count: number): string {
  return shown < count ? `${number(shown)} of ${number(count)}` : `All ${number(count)}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
