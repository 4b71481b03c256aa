/** Sets the owner and the secret of a new calendar feed. */

import { hashKey, KEY_CHARS } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { calendar_feeds } from "../../../db/schema/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { validateFilters } from "./filter.ts";
import { keepQuota } from "../../accounts/users/mod.ts";

/** The path of all calendars; the query has the token. */
export const CALENDAR_PATH = `/api/${certificates.path}/calendar.ics`;

/**
 * Makes the caller the owner. A feed shows what its user may view to anyone who has its URL, so nobody can
 * create one for another user. One statement if a feed is created.
 */
export async function prepareFeeds({ ctx, tx, drafts }: WriteStep): Promise<void> {
  validateFilters({ ctx, tx, drafts });
  for (const draft of drafts.filter((one) => one.before === undefined)) {
    const { userId } = ctx.actor;
    if (userId === null) {
      refuse(
        draft,
        "user",
        "A calendar feed shows what its user may view. The service itself is not a user.",
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
