/** Reads that the subscriptions of a run share: the selected events, and windows of expiring certificates. */

import { and, asc, gt, inArray, lte, max, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import { type Database, select } from "../../db/mod.ts";
import { notice_events } from "../../db/schema/mod.ts";
import type { DueNotice } from "./collect_due.ts";
import type { NoticeEvent } from "./event_names.ts";
import { MAX_DUE_NOTICES } from "./limits.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";
import { dropOldest } from "../../base/memoize.ts";

/** Events after the last one that a subscription has seen, and after its creation. */
export interface EventPage {
  /** Not yet checked against permissions. */
  readonly notices: readonly DueNotice[];
  /** The last event that the subscription has seen after this page. */
  readonly lastEventId: number;
}

/** Reads the events of one run. */
export type EventLog = (
  subscription: Pick<LoadedSubscription, "lastEventId" | "events" | "created">,
) => Promise<EventPage>;

/** Maximum number of cached pages. Digests that are due together have usually seen the same events. */
const KEPT_PAGES = 10;

/**
 * Returns a reader for a run. Events that are written after its first call are left to the next run, so that
 * subscriptions that have seen the same events share one statement.
 */
export function eventLog(database: Database): EventLog {
  const pages = new Map<string, StoredPage>();
  let newest: number | undefined;
  return async ({ lastEventId, events, created }) => {
    newest ??= await newestId(database);
    const key = [lastEventId, ...events].join(" ");
    const page = pages.get(key) ?? await readPage(database, { after: lastEventId, newest, events });
    pages.delete(key);
    pages.set(key, page);
    dropOldest(pages, KEPT_PAGES);
    return {
      lastEventId: page.lastEventId,
      // Events are derived from the change log later, so their ids do not say whether they are older than the
      // subscription.
      notices: page.events.filter(({ time }) => time >= created).map(({ notice }) => notice),
    };
  };
}

/** A page of events, which subscriptions share. */
interface StoredPage {
  readonly events: readonly { readonly time: Millis; readonly notice: DueNotice }[];
  readonly lastEventId: number;
}

async function newestId(database: Database): Promise<number> {
  const [row] = await database.all(select({ id: max(notice_events.id) }).from(notice_events));
  return row?.id ?? 0;
}

async function readPage(
  database: Database,
  { after, newest, events }: { after: number; newest: number; events: readonly NoticeEvent[] },
): Promise<StoredPage> {
  if (newest <= after) return { events: [], lastEventId: after };
  const { id, event, object_type, object_id, detail, time } = notice_events;
  const rows = await database.all(
    select({ id, event, object_type, object_id, detail, time }).from(notice_events)
      .where(and(gt(id, after), lte(id, newest), inArray(event, [...events])))
      .orderBy(asc(id)).limit(MAX_DUE_NOTICES),
  );
  return {
    // If the page is full, the other events are left to the next run as well.
    lastEventId: rows.length === MAX_DUE_NOTICES ? rows.at(-1)?.id ?? newest : newest,
    events: rows.map((row) => ({
      time: row.time,
      notice: {
        event: row.event as NoticeEvent,
        objectType: row.object_type,
        objectId: row.object_id,
        detail: row.detail,
      },
    })),
  };
}

/** Number of certificates in a window: a few milliseconds. */
const WINDOW_SIZE = 1_000;

/** Expiries at or after `from` and before `to`. */
export interface ExpiryWindow {
  readonly from: Millis;
  readonly to: Millis;
}

/** Returns the window that begins at an expiry and ends before `end`. */
export type ExpiryWindows = (from: Millis, end: Millis) => Promise<ExpiryWindow>;

/**
 * Returns the windows of a run over `FROM … WHERE …`, which must use an index on `valid_to`. Each is read
 * once and shared by all subscriptions. Certificates with the same expiry are in the same window.
 */
export function expiryWindows(database: Database, candidates: SQL): ExpiryWindows {
  const ends = new Map<Millis, Millis>();
  return async (from, end) => {
    const known = ends.get(from);
    if (known !== undefined) return { from, to: Math.min(known, end) };
    const [row] = await database.all<{ valid_to: number }>(
      sql`SELECT certificates.valid_to ${candidates} AND certificates.valid_to >= ${from}
        AND certificates.valid_to < ${end} ORDER BY certificates.valid_to LIMIT 1 OFFSET ${WINDOW_SIZE}`,
    );
    const next = row === undefined ? end : Math.max(row.valid_to, from + 1);
    ends.set(from, next);
    return { from, to: Math.min(next, end) };
  };
}
