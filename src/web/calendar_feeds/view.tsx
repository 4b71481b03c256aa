/** View of calendar feeds. Their address is shown once, after creation. */

import { calendarFeeds } from "../../domain/certificates/calendar/mod.ts";
import { OneTimeSecret, type View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";

/** Deleting a feed revokes its address. */
export const calendarView: View = {
  resource: calendarFeeds,
  columns: ["user", "filter", "alarm_days", "last_used"],
  filters: ["user_id"],
  unshown: ["token", "feed_url"],
  empty:
    "No calendar feeds yet. A feed shows certificate expiries in a calendar app, at an address that only you know.",
  related: ({ filter }) => [["Certificates", `/certificates/?${filter}`]],
  created: (call, feed) =>
    page(
      call,
      { title: "New calendar feed", above: [["Calendar feeds", "/calendar-feeds/"]] },
      <OneTimeSecret
        text={String(feed.feed_url)}
        label="Feed address"
        use="Subscribe to this address in a calendar app. Anyone who has the address sees what you may view. Delete the feed to revoke it."
        to={objectPath(calendarFeeds, feed.id)}
      />,
    ),
};
