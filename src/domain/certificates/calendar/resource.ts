/** Calendar feeds: secret URLs from which calendar programs read when certificates expire. */

import { z } from "zod";
import { MAX_NOTICE_DAYS } from "../../../base/limits.ts";
import { calendar_feeds as table } from "../../../db/schema/mod.ts";
import {
  datetime,
  defineResource,
  derived,
  type Field,
  id,
  integer,
  type Out,
  reference,
  type Resource,
  text,
  timestamps,
} from "../../../resource/mod.ts";
import { users } from "../../accounts/users/mod.ts";
import { DEFAULT_FILTER } from "./filter.ts";
import { certificateFilterField } from "./filter_field.ts";
import { prepareFeeds } from "./prepare.ts";

/** `certmgr.calendarfeed`. */
export const calendarFeeds = defineResource({
  objectType: "certmgr.calendarfeed",
  path: "plugins/certmgr/calendar-feeds",
  label: "calendar feed",
  table,
  untracked: true,
  createsOne: true,
  fields: [
    id(),
    text("name", { description: "Name of the feed, and of the calendar.", required: true, max: 100 }),
    text("description", { description: "Who reads it." }),
    reference("user", {
      description: "The creator; the calendar shows what this user may view at the time.",
      target: (): Resource => users,
      keys: ["username"],
      nullable: false,
      readOnly: true,
      onDelete: "cascade",
    }),
    certificateFilterField({
      description:
        "Which certificates it shows: a query string with filters of the list, such as `tenant=acme&tag=web`, without regular " +
        "expressions. Empty: all certificates.",
      fallback: DEFAULT_FILTER,
    }),
    integer("alarm_days", {
      description: "How many days before an expiry calendar programs show a reminder; null: no reminder.",
      min: 0,
      max: MAX_NOTICE_DAYS,
      nullable: true,
    }),
    secretField("token", "The secret in the feed's URL"),
    secretField("feed_url", "The URL for calendar programs"),
    datetime("last_used", {
      description: "When the calendar was last requested, to the hour.",
      readOnly: true,
      nullable: true,
    }),
    ...timestamps(),
  ],
  brief: ["name", "description"],
  searchFields: ["name", "description"],
  prepare: prepareFeeds,
});

export type CalendarFeed = Out<typeof calendarFeeds>;

/** Returns the fields that contain the secret, which gives access only to this calendar. */
function secretField<const Name extends string>(name: Name, meaning: string): Field<Name, string | null> {
  return derived(name, {
    description: `${meaning}: only in the response that creates the feed, null afterwards.`,
    output: z.string().nullable(),
    needs: [],
    read: () => null,
  });
}
