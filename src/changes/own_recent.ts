/** Finds what a request of the caller changed recently, so that it can be undone. */

import { and, desc, eq, gte } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { type Reader, select } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";
import { readSnapshots, SNAPSHOTS, type Snapshots } from "./snapshots.ts";

/**
 * Time during which a change can be undone, in milliseconds: long enough to notice a mistake, short enough
 * that nobody else relies on the change.
 */
const UNDO_MS = 10 * 60_000;

/** A change record. */
export interface OwnChange extends Snapshots {
  readonly object_id: number;
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
      object_id: object_changes.object_id,
      snapshots: SNAPSHOTS,
    })
      .from(object_changes)
      .where(and(
        eq(object_changes.request_id, requestId),
        eq(object_changes.user_id, ctx.actor.userId ?? -1),
        eq(object_changes.object_type, objectType),
        eq(object_changes.action, action),
        gte(object_changes.time, ctx.clock.now() - UNDO_MS),
      ))
      .orderBy(desc(object_changes.id)).limit(MAX_BULK_OBJECTS),
  );
  return changes.map(({ object_id, snapshots }) => ({ object_id, ...readSnapshots(snapshots) }));
}
