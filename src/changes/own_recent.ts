/** Finds what a request of the caller changed a moment ago, so that it can be undone. */

import { sql } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { MAX_BULK_OBJECTS } from "../base/limits.ts";
import type { Reader } from "../db/mod.ts";

/**
 * Milliseconds during which a change can be undone: long enough to notice a mistake, short enough that the change is
 * still the caller's.
 */
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
    sql`SELECT id, object_id, prechange, postchange FROM change_snapshots
      WHERE request_id = ${requestId} AND user_id = ${ctx.actor.userId ?? -1} AND object_type = ${objectType}
        AND action = ${action} AND time >= ${ctx.clock.now() - UNDO_MS}
      ORDER BY id DESC LIMIT ${MAX_BULK_OBJECTS}`,
  );
}
