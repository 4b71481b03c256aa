/** Finds what a request of the caller changed a moment ago, so that it can be undone. */

import { and, desc, eq, gte } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import { type Reader, select } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";

/** Milliseconds during which a change can be undone: long enough to notice a mistake, short enough to be one's own. */
const UNDO_MS = 10 * 60_000;

/** A change record, with its snapshots as JSON. */
export interface OwnChange {
  readonly id: number;
  readonly object_id: number;
  readonly prechange: string | null;
  readonly postchange: string | null;
}

/** Returns the change records of one request of the same user, newest first, if it is at most ten minutes ago. */
export async function ownRecentChanges(
  { ctx, reader }: { ctx: Context; reader: Reader },
  { requestId, objectType, action }: {
    requestId: string;
    objectType: string;
    action: "create" | "update" | "delete";
  },
): Promise<OwnChange[]> {
  return await reader.all(
    select({
      id: object_changes.id,
      object_id: object_changes.object_id,
      prechange: object_changes.prechange,
      postchange: object_changes.postchange,
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
}
