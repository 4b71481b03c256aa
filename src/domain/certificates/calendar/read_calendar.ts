/** Returns the calendar for the URL of a feed. */

import { eq } from "drizzle-orm";
import { actorOf, type Context, hashKey, isKey } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { formatDate } from "../../../base/clock.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { select, update } from "../../../db/mod.ts";
import { calendar_feeds } from "../../../db/schema/mod.ts";
import { writeCalendar } from "../../../formats/mod.ts";
import { eventOf } from "./event.ts";
import { type Expiries, readExpiries } from "./expiries.ts";
import { parseFeedFilter } from "./filter.ts";

/** The refresh interval that a calendar suggests, in hours. */
const CALENDAR_REFRESH_HOURS = 6;
/** Minimum interval between two updates of `last_used`. */
const FEED_NOTE_INTERVAL_MS = 3_600_000;

/** A calendar in iCalendar format. */
export interface CalendarDocument {
  readonly text: string;
  /** A weak entity tag, which changes with the text. */
  readonly etag: string;
}

interface Feed {
  id: number;
  user_id: number;
  name: string;
  filter: string;
  alarm_days: number | null;
  last_used: number | null;
}

/**
 * Returns the calendar for a token, with what the feed's user may view now. Unknown and revoked tokens, and
 * tokens of inactive users, get the same error. Errors: not_found, invalid (the stored filter is no longer
 * valid after an upgrade).
 */
export async function readCalendar(
  { deps, token }: { deps: Omit<Context, "actor">; token: string },
): Promise<CalendarDocument> {
  const feed = isKey(token) ? await findFeed(deps, token) : undefined;
  if (feed === undefined) throw notFound();
  const actor = await actorOf(deps, feed.user_id);
  if (actor === undefined) throw notFound();
  const { condition, errors } = parseFeedFilter(deps, feed.filter);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const expiries = await readExpiries({ ctx: { ...deps, actor }, filter: condition });
  await recordTokenUse(deps, feed);
  const text = writeCalendar(
    { name: feed.name, description: describe(expiries), refreshHours: CALENDAR_REFRESH_HOURS },
    expiries.certificates.map((certificate) =>
      eventOf(certificate, { alarmDays: feed.alarm_days, baseUrl: deps.baseUrl })
    ),
  );
  return { text, etag: `W/"${sha256Hex(text)}"` };
}

async function findFeed({ database }: Omit<Context, "actor">, token: string): Promise<Feed | undefined> {
  const [feed] = await database.all(
    select({
      id: calendar_feeds.id,
      user_id: calendar_feeds.user_id,
      name: calendar_feeds.name,
      filter: calendar_feeds.filter,
      alarm_days: calendar_feeds.alarm_days,
      last_used: calendar_feeds.last_used,
    }).from(calendar_feeds).where(eq(calendar_feeds.token_hash, hashKey(token))),
  );
  return feed;
}

/** Describes the calendar, and says so if it is truncated. */
function describe({ certificates, count, since }: Expiries): string {
  return certificates.length === count
    ? `All expiries since ${formatDate(since)}: ${count}.`
    : `The first ${certificates.length} of ${count} expiries since ${formatDate(since)}. ` +
      "Narrow the filter of this feed to see the others.";
}

/** Updates `last_used` without a change record. Errors are ignored. */
async function recordTokenUse({ database, clock }: Omit<Context, "actor">, feed: Feed): Promise<void> {
  const now = clock.now();
  if (feed.last_used !== null && now - feed.last_used < FEED_NOTE_INTERVAL_MS) return;
  try {
    await database.write((tx) =>
      tx.run(update(calendar_feeds).set({ last_used: now }).where(eq(calendar_feeds.id, feed.id)))
    );
  } catch {
    // The next request tries again. A calendar must not fail because of this.
  }
}
