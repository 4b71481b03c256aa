/**
 * Writes change records and events in the transaction of the change itself. Several changes of an object in a
 * transaction become one event. Events that no enabled webhook selects are not stored.
 */

import { inArray, type SQL, sql } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { first } from "../base/first.ts";
import { WRITTEN_PLAIN_CHARS } from "../base/limits.ts";
import { memoize } from "../base/memoize.ts";
import {
  type Cell,
  deleteFrom,
  idsIn,
  inBatches,
  insertRows,
  jsonText,
  nextIdsAnd,
  type Row,
  type Transaction,
} from "../db/mod.ts";
import { object_changes, outbox, webhooks } from "../db/schema/mod.ts";
import { packSnapshots, type Snapshot, type Snapshots } from "./snapshots.ts";
import { announce } from "./wake.ts";

const [ASSIGNMENT, CERTIFICATE] = ["certmgr.certificateassignment", "certmgr.certificate"];
/** The type of the object that a certificate's change is related to when its owner was notified. */
export const OWNER_LETTER = "certmgr.notificationdelivery";

/** The action of a change. With a `d` at the end, it is the name of its event. */
export type ChangeAction = "create" | "update" | "delete";

/** A change of an object. */
export interface Change extends Snapshots {
  readonly action: ChangeAction;
  readonly objectType: string;
  readonly objectId: number;
  /** The object's `display` at that time. */
  readonly repr: string;
  /** The caller's comment on the change. */
  readonly message?: string | undefined;
}

/**
 * Writes a change record for each change, and an event for each changed object. Two statements, at most two more if
 * there are webhooks.
 */
export async function recordChanges(
  tx: Transaction,
  ctx: Context,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const time = ctx.clock.now();
  const { first: firstId, value } = await nextIdsAnd(tx, object_changes, {
    count: changes.length,
    value: selectedEvents(changes),
  });
  const selected: string[] = JSON.parse(String(value));
  const rows = changes.map((change, index) => ({
    id: firstId + index,
    time,
    user_id: ctx.actor.userId,
    username: ctx.actor.username,
    request_id: ctx.requestId,
    action: change.action,
    object_type: change.objectType,
    object_id: change.objectId,
    object_repr: change.repr,
    snapshots: packSnapshots(change),
    message: change.message ?? "",
    ...relatedColumns(change),
  }));
  await tx.runAll(inBatches(rows, WRITTEN_PLAIN_CHARS).map((some) => insertRows(object_changes, some)));
  const events = changes.map(({ action, objectType, objectId }, index) => {
    const id = firstId + index;
    return { objectType, objectId, event: `${action}d`, changeId: id, firstChangeId: id };
  });
  await addEvents(tx, ctx, { changes: events, selected: new Set(selected) });
}

/**
 * Returns what an assignment of a contact is about, the certificate that an assignment is of, a certificate's new
 * successor, or the message to its owner.
 */
function relatedColumns(
  { objectType, prechange, postchange }: Change,
): Record<`related_object_${"type" | "id"}`, Cell> {
  const { object_type: type, object_id: id, certificate, replaced_by: successor, owner_told: delivery } =
    (postchange ?? prechange ?? {}) as Row;
  if (objectType === ASSIGNMENT) {
    return { related_object_type: CERTIFICATE, related_object_id: certificate ?? null };
  }
  if (typeof delivery === "number") return { related_object_type: OWNER_LETTER, related_object_id: delivery };
  return typeof successor === "number" && successor !== prechange?.replaced_by
    ? { related_object_type: objectType, related_object_id: successor }
    : { related_object_type: type ?? null, related_object_id: id ?? null };
}

/**
 * Returns an expression for those events of the types that enabled webhooks select: a JSON list of texts as
 * {@link eventKey} makes them. Evaluated in the transaction of the change, so that it sees every webhook that was stored
 * before.
 */
function selectedEvents(objects: readonly { readonly objectType: string }[]): SQL {
  const types = jsonText([...new Set(objects.map(({ objectType }) => objectType))]);
  return sql`(SELECT json_group_array(DISTINCT type.value || ' ' || event.value)
    FROM ${webhooks}, json_each(${webhooks.object_types}) AS type, json_each(${webhooks.events}) AS event
    WHERE ${webhooks.enabled} = 1 AND type.value IN (SELECT value FROM json_each(${types})))`;
}

function eventKey({ objectType, event }: { readonly objectType: string; readonly event: string }): string {
  return `${objectType} ${event}`;
}

/** An event that is not a change (a certificate expires soon). */
export interface EventNotice {
  /** Name of the event, which webhooks select. */
  readonly event: string;
  readonly objectType: string;
  readonly objectId: number;
  /** The current object in the format of change records. */
  readonly snapshot: Snapshot;
  /** Additional members of `data` in the message. */
  readonly details?: Record<string, unknown>;
}

/**
 * Writes an event for each notice that an enabled webhook selects. One statement, none without notices, and a second one if
 * any is selected.
 */
export async function recordNotices(
  tx: Transaction,
  ctx: Pick<Context, "clock" | "database">,
  notices: readonly EventNotice[],
): Promise<void> {
  if (notices.length === 0) return;
  const created = ctx.clock.now();
  const [row] = await tx.all<{ selected: string }>(sql`SELECT ${selectedEvents(notices)} AS selected`);
  const selected = new Set<string>(JSON.parse(row?.selected ?? "[]"));
  const emitted = notices.filter((notice) => selected.has(eventKey(notice)));
  const rows = emitted.map(({ event, objectType, objectId, snapshot, details }) => ({
    object_type: objectType,
    object_id: objectId,
    event,
    created,
    snapshot: jsonText(snapshot),
    details: details === undefined ? null : jsonText(details),
  }));
  await insertEvents(tx, ctx, rows);
}

export interface ChangeEvent extends OpenEvent {
  readonly objectType: string;
  readonly objectId: number;
}

/** Events of open transactions, by object, whether they are stored or not. */
const eventsOf = memoize((_: Transaction) => new Map<string, ChangeEvent>());

/**
 * Adds the selected events of changes. One statement, none if no event is selected, and another one if an object was
 * changed before in the transaction.
 */
async function addEvents(
  tx: Transaction,
  ctx: Context,
  { changes, selected }: { changes: readonly ChangeEvent[]; selected: ReadonlySet<string> },
): Promise<void> {
  const stored = eventsOf(tx);
  const merged = new Map<string, ChangeEvent | null>();
  for (const change of changes) {
    const key = `${change.objectType} ${change.objectId}`;
    const earlier = merged.get(key) ?? stored.get(key);
    const left = earlier === undefined ? change : mergeEvents(earlier, change);
    merged.set(key, left === null ? null : { ...change, ...left });
  }
  const isSelected = (event: ChangeEvent): boolean => selected.has(eventKey(event));
  const outdated = [...merged.keys()].flatMap((key) => {
    const earlier = stored.get(key);
    return earlier !== undefined && isSelected(earlier) ? [earlier.changeId] : [];
  });
  if (outdated.length > 0) {
    await tx.runAll([deleteFrom(outbox).where(inArray(outbox.change_id, idsIn(outdated)))]);
  }
  for (const [key, event] of merged) {
    if (event === null) stored.delete(key);
    else stored.set(key, event);
  }
  const created = ctx.clock.now();
  const rows = [...merged.values()].flatMap((event) =>
    event === null || !isSelected(event) ? [] : [{
      change_id: event.changeId,
      first_change_id: event.firstChangeId,
      object_type: event.objectType,
      object_id: event.objectId,
      event: event.event,
      created,
    }]
  );
  await insertEvents(tx, ctx, rows);
}

/** Inserts rows into the outbox and announces them after the commit. */
async function insertEvents(
  tx: Transaction,
  ctx: Pick<Context, "database">,
  rows: readonly Readonly<Record<string, Cell>>[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = await tx.all<{ id: number }>(sql`${insertRows(outbox, rows)} RETURNING id`);
  announce(tx, ctx.database, first(ids).id);
}

/** An event of an open transaction. */
export interface OpenEvent {
  /** `created`, `updated` or `deleted`. */
  readonly event: string;
  /** The last and the first of its changes. */
  readonly changeId: number;
  readonly firstChangeId: number;
}

/**
 * Merges two consecutive events of an object: created and updated is created, created and deleted is null (no
 * event).
 */
function mergeEvents(earlier: OpenEvent, later: OpenEvent): OpenEvent | null {
  const created = earlier.event === "created";
  if (later.event === "deleted" && created) return null;
  return {
    event: later.event === "updated" && created ? "created" : later.event,
    changeId: later.changeId,
    firstChangeId: earlier.firstChangeId,
  };
}
