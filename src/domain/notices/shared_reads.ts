/** Reads of an evaluation: the selected events, and windows of expiring certificates, which the subscriptions of a run share. */

import { and, asc, gt, inArray, lte, max, type SQL, sql } from "drizzle-orm";
import type { Millis } from "../../base/clock.ts";
import { type Database, select } from "../../db/mod.ts";
import { notice_events } from "../../db/schema/mod.ts";
import type { DueNotice } from "./collect_due.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { LoadedSubscription } from "./load_subscriptions.ts";

/**
 * Maximum number of certificates, and of events, that one evaluation of a subscription reads. The others are
 * in the next message. It must not exceed the number of values of a filter.
 */
export const MAX_DUE_NOTICES = 1_000;

/** Events after the last one that a subscription has seen, and after its creation. */
export interface EventPage {
  /** Not yet checked against permissions. */
  readonly notices: readonly DueNotice[];
  /** The last event that the subscription has seen after this page. */
  readonly lastEventId: number;
}

/** Reads the events that a subscription selects. Two statements. */
export async function readEvents(
  database: Database,
  { lastEventId: after, events, created }: Pick<LoadedSubscription, "lastEventId" | "events" | "created">,
): Promise<EventPage> {
  const { id, event, object_type, object_id, detail, time } = notice_events;
  const [last] = await database.all(select({ id: max(id) }).from(notice_events));
  const newest = last?.id ?? 0;
  if (newest <= after) return { notices: [], lastEventId: after };
  const rows = await database.all(
    select({ id, event, object_type, object_id, detail, time }).from(notice_events)
      .where(and(gt(id, after), lte(id, newest), inArray(event, [...events])))
      .orderBy(asc(id)).limit(MAX_DUE_NOTICES),
  );
  return {
    // If the page is full, the other events are left to the next run.
    lastEventId: rows.length === MAX_DUE_NOTICES ? rows.at(-1)?.id ?? newest : newest,
    // Events are derived from the change log later, so their ids do not say whether they are older than the
    // subscription.
    notices: rows.filter((row) => row.time >= created).map((row) => ({
      event: row.event as NoticeEvent,
      objectType: row.object_type,
      objectId: row.object_id,
      detail: row.detail,
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
