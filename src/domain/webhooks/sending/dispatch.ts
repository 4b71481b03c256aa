/** Dispatches events from the outbox: creates a message for each webhook that matches an event. */

import { and, eq, inArray, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { pacer } from "../../../base/pace.ts";
import { readSnapshots, SNAPSHOTS } from "../../../changes/mod.ts";
import { type Database, idsIn, jsonText, type Transaction, update } from "../../../db/mod.ts";
import { object_changes, outbox, webhook_deliveries, webhooks } from "../../../db/schema/mod.ts";
import { type EventRecord, messageBody, newMessageId } from "../deliveries/payload.ts";
import { ownersSql } from "../../contacts/mod.ts";
import { refreshCustomFields, type Values } from "../../../resource/mod.ts";
import { enabledWebhooks, matchingWebhooks, selectsEvent } from "../mod.ts";

/** Number of events dispatched at once: with their snapshots at most 20 MB. */
export const DISPATCH_BATCH = 200;

/** An event in the outbox. */
interface OpenEvent extends EventRecord {
  readonly id: number;
  readonly objectId: number;
}

/** An open event without its object. */
interface PendingEvent {
  readonly id: number;
  readonly objectType: string;
  readonly event: string;
}

/** A message to create. */
interface Message {
  readonly webhookId: number;
  readonly event: OpenEvent;
  readonly messageId: string;
  /** Whether an earlier message of this batch has the same webhook and object. */
  readonly follows: boolean;
}

/**
 * Dispatches the oldest events in the outbox, at most `limit`, and returns their number. Events are read and
 * matched before the transaction, which takes only those that no other process has taken in the meantime.
 * Events that no webhook selects are not read, which after an import of many certificates saves most of the
 * work.
 */
export async function dispatchEvents(ctx: Context, limit: number = DISPATCH_BATCH): Promise<number> {
  const { database } = ctx;
  const pending = await pendingEvents(database, limit);
  if (pending.length === 0) return 0;
  const stored = await enabledWebhooks(database);
  const selected = pending.filter((event) => selectsEvent(stored, event));
  const events = selected.length === 0 ? [] : await readEvents(database, selected);
  if (events.length > 0) await refreshCustomFields(ctx);
  const matching = await matchingWebhooks({ ctx, reader: database, stored }, events);
  const found = new Map(events.map((event, index) => [event.id, { event, webhooks: matching[index] ?? [] }]));
  const dispatched = pending.map(({ id }): Dispatched => ({ id, ...found.get(id) ?? { webhooks: [] } }));
  const pause = pacer();
  for (let first = 0; first < dispatched.length;) {
    const end = endOfGroup(dispatched, first);
    await storeMessages(ctx, dispatched.slice(first, end));
    first = end;
    await pause();
  }
  return pending.length;
}

/** An event in the outbox, and the webhooks that match it. */
interface Dispatched {
  readonly id: number;
  /** Undefined if no webhook selects it. */
  readonly event?: OpenEvent;
  readonly webhooks: readonly number[];
}

/**
 * Returns the end of a group of events with few enough messages for one transaction, but at least one event.
 */
function endOfGroup(dispatched: readonly Dispatched[], first: number): number {
  let [end, messages] = [first + 1, dispatched[first]?.webhooks.length ?? 0];
  while (end < dispatched.length) {
    messages += dispatched[end]?.webhooks.length ?? 0;
    if (messages > DISPATCH_BATCH) break;
    end++;
  }
  return end;
}

/** Takes the events that no other process has taken, and stores their messages, in one transaction. */
async function storeMessages(ctx: Context, dispatched: readonly Dispatched[]): Promise<void> {
  const messages = messagesOf(dispatched);
  const ids = idsIn(dispatched.map(({ id }) => id));
  await ctx.database.write(async (tx) => {
    const taken = await tx.all(
      update(outbox)
        .set({ state: "done" })
        .where(and(inArray(outbox.id, ids), eq(outbox.state, "pending")))
        .returning({ id: outbox.id }),
    );
    const own = new Set(taken.map((row) => row.id));
    const taking = messages.filter(({ event }) => own.has(event.id));
    // In batches, because each event may have many messages.
    for (let start = 0; start < taking.length; start += DISPATCH_BATCH) {
      await addMessages(tx, ctx, taking.slice(start, start + DISPATCH_BATCH));
    }
  });
}

/** Reads the oldest open events, without their objects. */
async function pendingEvents(database: Database, limit: number): Promise<PendingEvent[]> {
  // INDEXED BY, because SQLite might otherwise scan the table in the order of its ids, including all events
  // that are done.
  return await database.all<PendingEvent>(
    sql`SELECT id, object_type AS objectType, event FROM ${outbox} INDEXED BY outbox_open
      WHERE state = 'pending' ORDER BY id LIMIT ${limit}`,
  );
}

/** Reads events with their objects, in order. */
async function readEvents(database: Database, selected: readonly PendingEvent[]): Promise<OpenEvent[]> {
  const rows = await database.all<
    & Record<"username" | "request_id" | "snapshot" | "details" | "last" | "first", string | null>
    & { id: number; object_type: string; object_id: number; event: string; created: number }
  >(
    sql`SELECT o.id, o.object_type, o.object_id, o.event, o.created, o.snapshot, o.details,
        last.username, last.request_id, hex(last.snapshots) AS last,
        (SELECT ${SNAPSHOTS} FROM ${object_changes} WHERE id = o.first_change_id) AS first
      FROM ${outbox} AS o
      LEFT JOIN ${object_changes} AS last ON last.id = o.change_id
      WHERE o.id IN ${idsIn(selected.map(({ id }) => id))} ORDER BY o.id`,
  );
  const parsed = (text: string | null | undefined): Values | null =>
    text === null || text === undefined ? null : JSON.parse(text);
  const events = rows.map((row): OpenEvent => ({
    id: row.id,
    objectType: row.object_type,
    objectId: row.object_id,
    event: row.event,
    time: row.created,
    username: row.username ?? "system",
    requestId: row.request_id ?? null,
    prechange: row.first ? readSnapshots(row.first).prechange : null,
    postchange: parsed(row.snapshot) ?? (row.last ? readSnapshots(row.last).postchange : null),
    details: parsed(row.details),
  }));
  return await withOwners(database, events);
}

/** Adds the current `owner` to the snapshots of certificates. One statement, none without certificates. */
async function withOwners(database: Database, events: readonly OpenEvent[]): Promise<OpenEvent[]> {
  const owned = events.filter(({ objectType }) => objectType === "certmgr.certificate");
  if (owned.length === 0) return [...events];
  const rows = await database.all<{ owner: string | null }>(
    ownersSql(owned.map(({ objectId: id, prechange, postchange }) => {
      const { tenant } = postchange ?? prechange ?? {};
      return { id, tenant: typeof tenant === "number" ? tenant : null };
    })),
  );
  const owners = new Map(owned.map((event, index) => {
    const owner = rows[index]?.owner ?? null;
    return [event, owner === null ? null : JSON.parse(owner)];
  }));
  return events.map((event) => {
    if (!owners.has(event)) return event;
    const owner = owners.get(event);
    return event.postchange === null
      ? { ...event, prechange: { ...event.prechange, owner } }
      : { ...event, postchange: { ...event.postchange, owner } };
  });
}

function messagesOf(dispatched: readonly Dispatched[]): Message[] {
  const seen = new Set<string>();
  return dispatched.flatMap(({ event, webhooks }) =>
    event === undefined ? [] : webhooks.map((webhookId) => {
      const key = `${webhookId} ${event.objectType} ${event.objectId}`;
      const follows = seen.has(key);
      seen.add(key);
      return { webhookId, event, messageId: newMessageId(), follows };
    })
  );
}

/**
 * Inserts messages in the order of their events. A message that waits for an earlier one about its object has
 * no `next_attempt`.
 */
async function addMessages(tx: Transaction, ctx: Context, messages: readonly Message[]): Promise<void> {
  const now = ctx.clock.now();
  const rows = messages.map(({ webhookId, event, messageId, follows }) => [
    webhookId,
    event.id,
    messageId,
    event.objectType,
    event.objectId,
    event.event,
    messageBody(event, messageId),
    follows ? 1 : 0,
  ]);
  await tx.run(
    sql`INSERT INTO ${webhook_deliveries}
        (webhook_id, outbox_id, event_id, object_type, object_id, event, body, next_attempt, created, last_updated)
      SELECT new.webhook_id, new.outbox_id, new.event_id, new.object_type, new.object_id, new.event, new.body,
        CASE WHEN new.follows OR EXISTS (
          SELECT 1 FROM ${webhook_deliveries} AS earlier WHERE earlier.webhook_id = new.webhook_id
            AND earlier.object_type = new.object_type AND earlier.object_id = new.object_id
            AND earlier.state = 'pending'
        ) THEN NULL ELSE ${now} END, ${now}, ${now}
      FROM (SELECT key, value ->> 0 AS webhook_id, value ->> 1 AS outbox_id, value ->> 2 AS event_id,
        value ->> 3 AS object_type, value ->> 4 AS object_id, value ->> 5 AS event, value ->> 6 AS body,
        value ->> 7 AS follows FROM json_each(${jsonText(rows)})) AS new
      WHERE new.webhook_id IN (SELECT id FROM ${webhooks}) ORDER BY new.key`,
  );
}
