/** Records what happened, in the transaction of the change itself: the change log and the outbox. */

import { sql } from "drizzle-orm";
import type { Context } from "../access/mod.ts";
import { insertRows, jsonText, nextIds, type Transaction } from "../db/mod.ts";
import { object_changes, outbox } from "../db/schema/mod.ts";

/** What was done to an object; also the event's name with `d` at the end. */
export type ChangeAction = "create" | "update" | "delete";

/** One change of one object. */
export interface Change {
  readonly action: ChangeAction;
  readonly objectType: string;
  readonly objectId: number;
  /** The object's `display` at that time. */
  readonly repr: string;
  readonly prechange: Record<string, unknown> | null;
  readonly postchange: Record<string, unknown> | null;
  /** Whether webhooks hear of it. */
  readonly event: boolean;
}

/** Writes a change-log row for each change, and an outbox row for each that is an event. Two or three statements. */
export async function recordChanges(
  tx: Transaction,
  ctx: Context,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const time = ctx.clock.now();
  const first = await nextIds(tx, object_changes, changes.length);
  const rows = changes.map((change, index) => ({
    id: first + index,
    time,
    user_id: ctx.actor.userId,
    username: ctx.actor.username,
    request_id: ctx.requestId,
    action: change.action,
    object_type: change.objectType,
    object_id: change.objectId,
    object_repr: change.repr,
    prechange: change.prechange === null ? null : jsonText(change.prechange),
    postchange: change.postchange === null ? null : jsonText(change.postchange),
  }));
  await tx.run(insertRows(object_changes, rows));
  if (!changes.some((change) => change.event)) return;
  const ids = JSON.stringify(rows.filter((_, index) => changes[index]?.event).map((row) => row.id));
  await tx.run(
    sql`INSERT INTO ${outbox} (change_id, object_type, object_id, event, created, state)
        SELECT id, object_type, object_id, action || 'd', time, 'pending' FROM ${object_changes}
        WHERE id IN (SELECT value FROM json_each(${ids})) ORDER BY id`,
  );
}
