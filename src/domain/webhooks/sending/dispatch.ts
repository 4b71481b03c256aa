/** Dispatches events from the outbox: creates a message for each webhook that matches an event. */

import { and, eq, inArray, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { DISPATCH_BATCH } from "../limits.ts";
import { pacer } from "../../../base/pace.ts";
import { idsIn, jsonText, type Transaction, update } from "../../../db/mod.ts";
import {
  change_snapshots,
  object_changes,
  outbox,
  webhook_deliveries,
  webhooks,
} from "../../../db/schema/mod.ts";
import { type EventRecord, messageBody, newMessageId } from "../deliveries/mod.ts";
import { ownersSql } from "../../contacts/mod.ts";
import { refreshCustomFields } from "../../../resource/mod.ts";
import { matchingWebhooks } from "../mod.ts";

/** An event in the outbox. */
interface OpenEvent extends EventRecord {
  readonly id: number;
  readonly objectId: number;
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
 * Dispatches the oldest events in the outbox, at most `limit`, and returns their number. Events are read and matched
 * before the transaction, which takes only those that no other process has taken meanwhile.
 */
export async function dispatchEvents(ctx: Context, limit: number = DISPATCH_BATCH): Promise<number> {
  const events = await openEvents(ctx, limit);
  if (events.length === 0) return 0;
  await refreshCustomFields(ctx);
  const matching = await matchingWebhooks({ ctx, reader: ctx.database }, events);
  const pause = pacer();
  for (let first = 0; first < events.length;) {
    const end = endOfGroup(matching, first);
    await storeMessages(ctx, events.slice(first, end), matching.slice(first, end));
    first = end;
    await pause();
  }
  return events.length;
}

/** Returns where a group of events ends that has few enough messages for one transaction; it has one event at least. */
function endOfGroup(matching: readonly (readonly number[])[], first: number): number {
  let [end, messages] = [first + 1, matching[first]?.length ?? 0];
  while (end < matching.length) {
    messages += matching[end]?.length ?? 0;
    if (messages > DISPATCH_BATCH) break;
    end++;
  }
  return end;
}

/** Takes those of the events that no other process has taken, and stores their messages, in one transaction. */
async function storeMessages(
  ctx: Context,
  events: readonly OpenEvent[],
  matching: readonly (readonly number[])[],
): Promise<void> {
  const messages = messagesOf(events, matching);
  const ids = idsIn(events.map((event) => event.id));
  await ctx.database.write(async (tx) => {
    const taken = await tx.all(
      update(outbox)
        .set({ state: "done" })
        .where(and(inArray(outbox.id, ids), eq(outbox.state, "pending")))
        .returning({ id: outbox.id }),
    );
    const own = new Set(taken.map((row) => row.id));
    const taking = messages.filter(({ event }) => own.has(event.id));
    // In batches: each event may have many messages.
    for (let start = 0; start < taking.length; start += DISPATCH_BATCH) {
      await addMessages(tx, ctx, taking.slice(start, start + DISPATCH_BATCH));
    }
  });
}

async function openEvents({ database }: Context, limit: number): Promise<OpenEvent[]> {
  // INDEXED BY: SQLite might otherwise walk the table in order of its ids, past all events that are done.
  const rows = await database.all<
    Record<string, string | null> & { id: number; object_id: number; created: number }
  >(
    sql`SELECT o.id, o.object_type, o.object_id, o.event, o.created, o.snapshot, o.details,
        last.username, last.request_id,
        (SELECT prechange FROM ${change_snapshots} WHERE id = o.first_change_id) AS prechange,
        (SELECT postchange FROM ${change_snapshots} WHERE id = o.change_id) AS postchange
      FROM ${outbox} AS o INDEXED BY outbox_open
      LEFT JOIN ${object_changes} AS last ON last.id = o.change_id
      WHERE o.state = 'pending' ORDER BY o.id LIMIT ${limit}`,
  );
  const parsed = (text: string | null | undefined): Record<string, unknown> | null =>
    text === null || text === undefined ? null : JSON.parse(text);
  const events = rows.map((row): OpenEvent => ({
    id: row.id,
    objectType: row.object_type as string,
    objectId: row.object_id,
    event: row.event as string,
    time: row.created,
    username: row.username ?? "system",
    requestId: row.request_id ?? null,
    prechange: parsed(row.prechange),
    postchange: parsed(row.snapshot) ?? parsed(row.postchange),
    details: parsed(row.details),
  }));
  return await withOwners(database, events);
}

/** Adds `owner` to the snapshots of certificates, as it is now. One statement, none without certificates. */
async function withOwners(database: Context["database"], events: readonly OpenEvent[]): Promise<OpenEvent[]> {
  const owned = events.filter(({ objectType }) => objectType === "certmgr.certificate");
  if (owned.length === 0) return [...events];
  const rows = await database.all<{ owner: string | null }>(
    ownersSql(owned.map(({ objectId, prechange, postchange }) => ({
      id: objectId,
      tenant: (postchange ?? prechange)?.tenant as number | null ?? null,
    }))),
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

function messagesOf(events: readonly OpenEvent[], matching: readonly (readonly number[])[]): Message[] {
  const seen = new Set<string>();
  return events.flatMap((event, index) =>
    (matching[index] ?? []).map((webhookId) => {
      const key = `${webhookId} ${event.objectType} ${event.objectId}`;
      const follows = seen.has(key);
      seen.add(key);
      return { webhookId, event, messageId: newMessageId(), follows };
    })
  );
}

/** Inserts messages in the order of their events; one that waits for an earlier one about its object has no `next_attempt`. */
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
