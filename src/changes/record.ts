/** Writes change records and events in the transaction of the change itself. */

import type { Context } from "../auth/mod.ts";
import { insertRows, jsonText, nextIds, type Transaction } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";
import { addEvents, insertEvents } from "./open_events.ts";

/** The action of a change; with a `d` at the end it is the name of its event. */
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
  /** Whether the change is sent to webhooks. */
  readonly event: boolean;
}

/**
 * Writes a change record for each change, and an event for each object with a change that is sent to webhooks. Two or
 * three statements.
 */
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
  await tx.runAll([insertRows(object_changes, rows)]);
  const events = changes.flatMap(({ action, objectType, objectId, event }, index) => {
    const id = first + index;
    return event ? [{ objectType, objectId, event: `${action}d`, changeId: id, firstChangeId: id }] : [];
  });
  if (events.length > 0) await addEvents(tx, ctx, events);
}

/** An event without a change (a certificate that expires soon). */
export interface EventNotice {
  /** Name of the event, which webhooks select. */
  readonly event: string;
  readonly objectType: string;
  readonly objectId: number;
  /** The current object in the format of change records. */
  readonly snapshot: Record<string, unknown>;
  /** Additional members of `data` in the message. */
  readonly details?: Record<string, unknown>;
}

/** Writes an event for each notice. One statement. */
export async function recordNotices(
  tx: Transaction,
  ctx: Context,
  notices: readonly EventNotice[],
): Promise<void> {
  const created = ctx.clock.now();
  const rows = notices.map(({ event, objectType, objectId, snapshot, details }) => ({
    object_type: objectType,
    object_id: objectId,
    event,
    created,
    snapshot: jsonText(snapshot),
    details: details === undefined ? null : jsonText(details),
  }));
  await insertEvents(tx, ctx, rows);
}
