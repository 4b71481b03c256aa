/** What a printed list says about itself. */

import type { Call } from "../call.ts";
import type { Html } from "../components/mod.ts";
import type { Listing } from "./listing.ts";

/** Says on paper what the sheet has, because it leaves out what people act on. */
export function PrintNote({ call, listing }: { call: Call; listing: Listing }): Html | null {
  const { offset, rows, count } = listing;
  if (rows.length === 0) return null;
  const [first, last, all] = [offset + 1, offset + rows.length, count].map((one) => one.toLocaleString("en"));
  const time = new Date(call.ctx.clock.now()).toISOString().slice(0, 16).replace("T", " ");
  return (
    <p class="print-only">
      Rows {first}–{last} of {all} · {time} UTC · {call.session.actor.username}
    </p>
  );
}
