/** View of calendar feeds. Their URL is shown once, after creation. */

import { numberText } from "../../../base/amounts.ts";
import { type CalendarFeed, calendarFeeds } from "../../../domain/certificates/calendar/mod.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { AppError } from "../../../base/errors.ts";
import type { Call } from "../../call.ts";
import { certificateColumns, certificatePicker, readListed, selectedList } from "../certificates/mod.ts";
import { EmptyState, type Html, Table } from "../../kit/components/mod.ts";
import {
  ObjectLink,
  OneTimeSecret,
  StoredFilters,
  storedFilterSection,
  type View,
  withFiltersInWords,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { page } from "../../shell/mod.ts";

/** Number of entries on the page of a feed. */
const SHOWN = 10;
const COLUMNS = ["common_name", "valid_to", "tenant", "status"];

/** Renders the certificates that expire next, as far as the user may view them. */
async function nextEntries(call: Call, { filter }: Pick<CalendarFeed, "filter">): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) return null;
  const params: Record<string, string | string[]> = {};
  const given = new URLSearchParams(filter);
  for (const name of given.keys()) params[name] = given.getAll(name);
  const found = await readListed(call, {
    params: { expired: "false", ...params, ordering: "valid_to", limit: SHOWN },
    columns: COLUMNS,
  }).catch((error): undefined => {
    // Filters of an earlier release may no longer be valid.
    if (!(error instanceof AppError) || error.code !== "invalid") throw error;
  });
  if (found === undefined) return null;
  const { rows, count } = found;
  return (
    <section aria-labelledby="entries">
      <h2 id="entries">
        Next entries <span class="count">{numberText(count)}</span>
      </h2>
      {rows.length === 0
        ? <EmptyState text="No certificate that you may view expires from today on." />
        : <Table caption="Next entries" rows={rows} columns={certificateColumns(call, COLUMNS)} dense />}
    </section>
  );
}

/** Deleting a feed revokes its URL. */
export const calendarView: View<CalendarFeed> = {
  resource: calendarFeeds,
  columns: [
    "user",
    { name: "filter", cell: (row) => <StoredFilters row={row} /> },
    "alarm_days",
    "last_used",
  ],
  filters: ["user_id"],
  withMore: (call, rows) => withFiltersInWords(call, rows, selectedList),
  fields: {
    filter: {
      help:
        "Which certificates it shows. Add filters below, or copy the part after the ? of the address of a " +
        "list. Empty: all certificates.",
      picker: certificatePicker,
    },
  },
  empty:
    "No calendar feeds yet. A feed shows certificate expiries in a calendar app, at an address that only you know.",
  detail: (call, feed) => ({
    lead: Promise.all([
      storedFilterSection(call, selectedList(feed)),
      feed.user.id === call.ctx.actor.userId ? null : (
        <p class="faint">
          The feed contains only certificates that <ObjectLink brief={feed.user} />{" "}
          may view. This page counts those that you may view.
        </p>
      ),
    ]),
    without: ["token", "feed_url", "filter"],
    sections: nextEntries(call, feed),
  }),
  create: (call) => ({
    created: (feed) =>
      page(
        call,
        { title: "New calendar feed", above: [["Calendar feeds", "/calendar-feeds/"]] },
        <OneTimeSecret
          text={String(feed.feed_url)}
          label="Feed address"
          use="Subscribe to this address in a calendar app. Anyone who has the address sees what you may view. Delete the feed to revoke it."
          to={objectPath(calendarFeeds, feed.id)}
          open={["Open in a calendar app", String(feed.feed_url).replace(/^https?:/, "webcal:")]}
        />,
      ),
  }),
};
