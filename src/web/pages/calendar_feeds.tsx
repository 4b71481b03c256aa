/** View of calendar feeds. Their URL is shown once, after creation. */

import { type CalendarFeed, calendarFeeds } from "../../domain/certificates/calendar/resource.ts";
import type { Route } from "../call.ts";
import { certificatePicker, selectedList } from "./certificates/mod.ts";
import {
  defineView,
  ObjectLink,
  OneTimeSecret,
  StoredFilters,
  storedFilterSection,
  viewRoutes,
  withFiltersInWords,
} from "../kit/mod.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";

/** Deleting a feed revokes its URL. */
const calendarView = defineView<CalendarFeed>({
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
});

export const calendarRoutes: readonly Route[] = viewRoutes(calendarView);
