/** Calendar feeds: secret addresses under which calendar programs read when certificates expire. */

import { z } from "zod";
import { MAX_CALENDAR_FILTER_CHARS, MAX_NOTICE_DAYS } from "../../../base/limits.ts";
import { calendar_feeds as table } from "../../../db/schema/mod.ts";
import {
  datetime,
  defineResource,
  derived,
  type Field,
  id,
  integer,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { users } from "../../accounts/users/mod.ts";
import { DEFAULT_FILTER, filterFaults } from "./filter.ts";
import { prepareFeeds } from "./prepare.ts";

/** `certmgr.calendarfeed`. */
export const calendarFeeds: Resource = defineResource({
  objectType: "certmgr.calendarfeed",
  path: "plugins/certmgr/calendar-feeds",
  label: "calendar feed",
  table,
  untracked: true,
  createsOne: true,
  fields: [
    id(),
    text("name", { description: "Name, of the calendar too.", required: true, max: 100 }),
    text("description", { description: "Who reads it." }),
    reference("user", {
      description: "Who made it; the calendar shows what he may view at the time.",
      target: () => users,
      keys: ["username"],
      nullable: false,
      readOnly: true,
      onDelete: "cascade",
    }),
    filterField(),
    integer("alarm_days", {
      description: "How many days before an expiry calendar programs shall remind of it; null: not at all.",
      min: 0,
      max: MAX_NOTICE_DAYS,
      nullable: true,
    }),
    ...secretFields(),
    datetime("last_used", {
      description: "When it was last read, to the hour.",
      readOnly: true,
      nullable: true,
    }),
    ...timestamps(),
  ],
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  prepare: prepareFeeds,
});

function filterField(): Field {
  const field = text("filter", {
    description:
      "Which certificates it shows: filters of their list as in its query, `tenant=acme&tag=web`, but no regular " +
      "expressions. Empty: all of them.",
    max: MAX_CALENDAR_FILTER_CHARS,
    filter: false,
  });
  const input = (field.input as z.ZodType<string>).superRefine((given, context) => {
    for (const message of filterFaults(given)) context.addIssue({ code: "custom", message });
  });
  return { ...field, input, fallback: DEFAULT_FILTER };
}

/** What opens the calendar, and nothing else. */
function secretFields(): Field[] {
  const names = { token: "The secret in its address", feed_url: "The address for calendar programs" };
  return Object.entries(names).map(([name, what]) =>
    derived(name, {
      description: `${what}: only in the reply that creates the feed, null from then on.`,
      output: z.string().nullable(),
      needs: [],
      read: () => null,
    })
  );
}
