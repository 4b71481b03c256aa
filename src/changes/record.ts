/** Records what happened, in the transaction of the change itself: the change log and the outbox. */

import type { Context } from "../auth/mod.ts";
import { insertRows, jsonText, nextIds, type Transaction } from "../db/mod.ts";
import { object_changes } from "../db/schema/mod.ts";
import { addEvents, insertEvents } from "./open_events.ts";

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

/**
 * Writes a change-log row for each change, and an outbox row for each object with a change that is an event. Two or
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

/** Something that webhooks are to hear of though nothing has changed (a certificate that expires soon). */
export interface EventNotice {
  /** Its name, as webhooks select it. */
  readonly event: string;
  readonly objectType: string;
  readonly objectId: number;
  /** The object as it is, as its change record would keep it. */
  readonly snapshot: Record<string, unknown>;
  /** What else is to be said; stands in the message's `data`, beside the object's own fields. */
  readonly details?: Record<string, unknown>;
}

/** Writes an outbox row for each occasion. One statement. */
export async function recordNotices(
  tx: Transaction,
  ctx: Context,
  occasions: readonly EventNotice[],
): Promise<void> {
  const created = ctx.clock.now();
  const rows = occasions.map(({ event, objectType, objectId, snapshot, details }) => ({
    object_type: objectType,
    object_id: objectId,
    event,
    created,
    snapshot: jsonText(snapshot),
    details: details === undefined ? null : jsonText(details),
  }));
  await insertEvents(tx, ctx, rows);
}
