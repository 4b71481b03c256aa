/** Calendar feeds: secret URLs from which calendar programs read when certificates expire; and their filters. */

import { z } from "zod";
import { type Context, hashKey, KEY_CHARS } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { concerns, type Finding, finding, within } from "../../../base/findings.ts";
import { MAX_CALENDAR_FILTER_CHARS, MAX_NOTICE_DAYS } from "../../../base/limits.ts";
import { calendar_feeds, calendar_feeds as table } from "../../../db/schema/mod.ts";
import { type Condition, mapIn, noRegexes, parseQuery, quoteInput } from "../../../filters/mod.ts";
import {
  datetime,
  defineResource,
  derived,
  type Field,
  integer,
  type Out,
  reference,
  refuse,
  type Resource,
  text,
  withoutSetAside,
  type WriteStep,
} from "../../../resource/mod.ts";
import { keepQuota } from "../../accounts/users/keep_quota.ts";
import { users } from "../../accounts/users/resource.ts";
import { certificates } from "../mod.ts";

/** By default, everything except replaced and revoked certificates, which need no action. */
const DEFAULT_FILTER = "status=active&status=pending&status=expired";

/**
 * Regular expressions are refused, because they would run for every request for the calendar and for every
 * message.
 */
const NO_REGEXES = noRegexes("in the filter of a calendar feed or subscription");

/** Parses a filter. `errors` has findings by parameter. */
export function parseFeedFilter(
  { database }: Pick<Context, "database">,
  text: string,
): { readonly condition: Condition; readonly errors: readonly Finding[] } {
  const params = new URLSearchParams(text);
  const { condition, errors } = parseQuery(params, mapIn({ database }, certificates.map), {
    reserved: new Set(),
    regexes: NO_REGEXES,
  });
  return { condition: withoutSetAside(certificates, condition, params.keys()), errors };
}

/** Adds the errors in the filters of drafts, each with the name of its parameter. */
export function validateFilters({ ctx, drafts }: WriteStep): void {
  for (const draft of drafts) {
    const { input: { filter }, errors } = draft;
    if (typeof filter !== "string" || concerns(errors, "filter")) continue;
    for (const one of within(parseFeedFilter(ctx, filter).errors, quoteInput)) refuse(draft, "filter", one);
  }
}

/** The path of all calendars; the query has the token. */
export const CALENDAR_PATH = `/api/${certificates.path}/calendar.ics`;

/**
 * Makes the caller the owner. A feed shows what its user may view to anyone who has its URL, so nobody can
 * create one for another user. One statement if a feed is created.
 */
async function prepareFeeds({ ctx, tx, drafts }: WriteStep): Promise<void> {
  validateFilters({ ctx, tx, drafts });
  for (const draft of drafts.filter((one) => one.before === undefined)) {
    const { userId } = ctx.actor;
    if (userId === null) {
      refuse(
        draft,
        "user",
        finding("feed_needs_user"),
      );
      continue;
    }
    const token = randomText(KEY_CHARS);
    draft.row.user_id = userId;
    draft.row.token_hash = hashKey(token);
    draft.reveal.token = token;
    draft.reveal.feed_url = `${ctx.baseUrl}${CALENDAR_PATH}?token=${token}`;
  }
  await keepQuota(
    { ctx, tx, drafts },
    {
      table: calendar_feeds,
      most: ctx.settings.maxFeedsPerUser,
      noun: "calendar feeds",
      setting: "CERTMGR_MAX_FEEDS_PER_USER",
    },
  );
}

/** `certmgr.calendarfeed`. */
export const calendarFeeds = defineResource({
  objectType: "certmgr.calendarfeed",
  path: "plugins/certmgr/calendar-feeds",
  label: "calendar feed",
  order: [{ field: "id", descending: false }],
  table,
  untracked: true,
  written: { oneByOne: true },
  fields: [
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
  ],
  brief: ["name", "description"],
  search: { fields: ["name", "description"] },
  hooks: { prepare: prepareFeeds },
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

/** Defines the field `filter`: the query string of a certificate list. {@link validateFilters} checks it. */
export function certificateFilterField(
  { description, fallback }: { description: string; fallback: string },
): Field<"filter", string> {
  return { ...text("filter", { description, max: MAX_CALENDAR_FILTER_CHARS }), fallback };
}
