/** How calendar feeds are shown: their address once, when they are made. */

import { calendarFeeds } from "../../domain/certificates/calendar/mod.ts";
import { OneTimeSecret, type View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { page } from "../shell/mod.ts";

/** The view. Deleting a feed revokes its address. */
export const calendarView: View = {
  resource: calendarFeeds,
  columns: ["user", "filter", "alarm_days", "last_used"],
  filters: ["user_id"],
  unshown: ["token", "feed_url"],
  empty:
    "No calendar feed yet. A feed shows expiries in a calendar program, by an address that only you know.",
  related: ({ filter }) => [["The certificates that it shows", `/certificates/?${filter}`]],
  created: (call, feed) =>
    page(
      call,
      { title: "New calendar feed", above: [["Calendar feeds", "/calendar-feeds/"]] },
      <OneTimeSecret
        text={String(feed.feed_url)}
        label="Address of the calendar"
        use="Subscribe to this address in a calendar program. Whoever knows it sees what you may see; to revoke it, delete the feed."
        to={objectPath(calendarFeeds, feed.id)}
      />,
    ),
};
