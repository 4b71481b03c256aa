/** What a calendar program reads. */

import { sql } from "drizzle-orm";
import { actorOf, type Context, hashKey, isKey } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import { formatDate } from "../../../base/clock.ts";
import { invalid, notFound } from "../../../base/errors.ts";
import { CALENDAR_REFRESH_HOURS, FEED_NOTE_INTERVAL_MS } from "../../../base/limits.ts";
import { calendar_feeds } from "../../../db/schema/mod.ts";
import { writeCalendar } from "../../../formats/mod.ts";
import { eventOf } from "./event.ts";
import { type Expiries, readExpiries } from "./expiries.ts";
import { readFilter } from "./filter.ts";

/** A calendar as it is sent. */
export interface CalendarDocument {
  readonly text: string;
  /** Weak; the same for as long as the text is. */
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
 * The calendar that a token opens, with what the feed's user may view at this time. An unknown token, one that was
 * revoked and one whose user is inactive are all the same.
 * Errors: not_found, invalid (a filter that an upgrade has made meaningless).
 */
export async function readCalendar(
  { deps, token }: { deps: Omit<Context, "actor">; token: string },
): Promise<CalendarDocument> {
  const feed = isKey(token) ? await findFeed(deps, token) : undefined;
  if (feed === undefined) throw notFound();
  const actor = await actorOf(deps, feed.user_id);
  if (actor === undefined) throw notFound();
  const { condition, errors } = readFilter(feed.filter);
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
  const [feed] = await database.all<Feed>(
    sql`SELECT id, user_id, name, filter, alarm_days, last_used FROM ${calendar_feeds}
      WHERE token_hash = ${hashKey(token)}`,
  );
  return feed;
}

/** Never a silent cut: a calendar that is not whole says so. */
function describe({ certificates, count, since }: Expiries): string {
  return certificates.length === count
    ? `All expiries since ${formatDate(since)}: ${count}.`
    : `The first ${certificates.length} of ${count} expiries since ${formatDate(since)}. ` +
      "Narrow the filter of this feed to see the others.";
}

/** It is no change of the feed: nothing is recorded. A note that cannot be written is given up. */
async function recordTokenUse({ database, clock }: Omit<Context, "actor">, feed: Feed): Promise<void> {
  const now = clock.now();
  if (feed.last_used !== null && now - feed.last_used < FEED_NOTE_INTERVAL_MS) return;
  try {
    await database.write((tx) =>
      tx.run(sql`UPDATE ${calendar_feeds} SET last_used = ${now} WHERE id = ${feed.id}`)
    );
  } catch {
    // The next reading notes it; this one must not fail for it.
  }
}
