/** Finds what a request of the caller changed recently, so that it can be undone. */

import { and, desc, eq, gte } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { type Reader, select } from "../db/mod.ts";
import { change_snapshots } from "../db/schema/mod.ts";
import { snapshotText } from "./pack_snapshots.ts";

/**
 * Time during which a change can be undone, in milliseconds: long enough to notice a mistake, short enough
 * that nobody else relies on the change.
 */
const UNDO_MS = 10 * 60_000;

/** A change record, with its snapshots as JSON. */
export interface OwnChange {
  readonly id: number;
  readonly object_id: number;
  readonly prechange: string | null;
  readonly postchange: string | null;
}

/**
 * Returns the change records of a request of the same user, newest first, if it was made in the last ten
 * minutes.
 */
export async function ownRecentChanges(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { requestId, objectType, action }: {
    requestId: string;
    objectType: string;
    action: "create" | "update" | "delete";
  },
): Promise<OwnChange[]> {
  const changes = await reader.all(
    select({
      id: change_snapshots.id,
      object_id: change_snapshots.object_id,
      prechange: change_snapshots.prechange,
      postchange: change_snapshots.postchange,
    })
      .from(change_snapshots)
      .where(and(
        eq(change_snapshots.request_id, requestId),
        eq(change_snapshots.user_id, ctx.actor.userId ?? -1),
        eq(change_snapshots.object_type, objectType),
        eq(change_snapshots.action, action),
        gte(change_snapshots.time, ctx.clock.now() - UNDO_MS),
      ))
      .orderBy(desc(change_snapshots.id)).limit(MAX_BULK_OBJECTS),
  );
  return changes.map((change) => ({
    ...change,
    prechange: snapshotText(change.prechange),
    postchange: snapshotText(change.postchange),
  }));
}
