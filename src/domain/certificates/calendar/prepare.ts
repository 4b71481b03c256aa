/** Makes a feed its maker's, and its secret. */

import { hashKey, KEY_CHARS } from "../../../auth/mod.ts";
import { randomText } from "../../../base/bytes.ts";
import { calendar_feeds } from "../../../db/schema/mod.ts";
import { refuse, type WriteStep } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import { keepQuota } from "../../accounts/users/mod.ts";

/** Path of every calendar; its query has the token. */
export const CALENDAR_PATH = `/api/${certificates.path}/calendar.ics`;

/**
 * A feed can only be made for oneself: it shows what its user may view, to anyone who has its address. One statement
 * where one is made.
 */
export async function prepareFeeds({ ctx, tx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts.filter((one) => one.before === undefined)) {
    const { userId } = ctx.actor;
    if (userId === null) {
      refuse(draft, "user", "A calendar feed shows what its user may view. The service itself is none.");
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
