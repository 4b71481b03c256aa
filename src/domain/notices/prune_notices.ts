/** Deletes old messages and events, and records of sent notifications. */

import { inArray, lt } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { DAY_MS } from "../../base/clock.ts";
import { DELIVERY_KEPT_DAYS, MAX_NOTICE_DAYS, PRUNE_BATCH } from "../../base/limits.ts";
import { deleteFrom, select } from "../../db/mod.ts";
import { notices, notification_deliveries } from "../../db/schema/mod.ts";
import { pruneEvents } from "./derive_events.ts";

/** Days for which sent notifications are recorded: longer than the earliest threshold. */
const NOTIFIED_KEPT_DAYS = MAX_NOTICE_DAYS + 60;

/** Deletes messages after 30 days, and old events and records of sent notifications. */
export async function deleteOldNotices(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<{ deliveries: number; events: number; notes: number }> {
  const { database, clock } = ctx;
  const now = clock.now();
  const removed = { deliveries: 0, events: await pruneEvents(ctx), notes: 0 };
  const old = select({ id: notification_deliveries.id }).from(notification_deliveries)
    .where(lt(notification_deliveries.created, now - DELIVERY_KEPT_DAYS * DAY_MS)).limit(PRUNE_BATCH);
  for (let more = true; more && !signal?.aborted;) {
    const count = await database.write((tx) =>
      tx.run(deleteFrom(notification_deliveries).where(inArray(notification_deliveries.id, old)))
    );
    removed.deliveries += count;
    more = count === PRUNE_BATCH;
  }
  const notified = lt(notices.time, now - NOTIFIED_KEPT_DAYS * DAY_MS);
  removed.notes = await database.write((tx) => tx.run(deleteFrom(notices).where(notified)));
  return removed;
}
