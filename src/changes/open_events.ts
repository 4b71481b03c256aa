/** Writes the outbox during a transaction: several changes of one object become one event. */

import { sql } from "drizzle-orm";
import type { Context } from "../auth/mod.ts";
import { type Cell, idsIn, insertRows, type Transaction } from "../db/mod.ts";
import { outbox } from "../db/schema/mod.ts";
import { mergeEvents, type OpenEvent } from "./merge.ts";
import { announce } from "./wake.ts";

/** A change that is sent to webhooks. */
export interface ChangeEvent extends OpenEvent {
  readonly objectType: string;
  readonly objectId: number;
}

/** Events of open transactions, by object. */
const transactions = new WeakMap<Transaction, Map<string, ChangeEvent>>();

/** Adds the events of changes. One statement, and a second one if an object has changed before. */
export async function addEvents(
  tx: Transaction,
  ctx: Context,
  changes: readonly ChangeEvent[],
): Promise<void> {
  const stored = transactions.get(tx) ?? new Map<string, ChangeEvent>();
  transactions.set(tx, stored);
  const merged = new Map<string, ChangeEvent | null>();
  for (const change of changes) {
    const key = `${change.objectType} ${change.objectId}`;
    const earlier = merged.get(key) ?? stored.get(key);
    const left = earlier === undefined ? change : mergeEvents(earlier, change);
    merged.set(key, left === null ? null : { ...change, ...left });
  }
  const outdated = [...merged.keys()].flatMap((key) => stored.get(key)?.changeId ?? []);
  if (outdated.length > 0) {
    await tx.runAll([sql`DELETE FROM ${outbox} WHERE change_id IN ${idsIn(outdated)}`]);
  }
  for (const [key, event] of merged) {
    if (event === null) stored.delete(key);
    else stored.set(key, event);
  }
  const created = ctx.clock.now();
  const rows = [...merged.values()].flatMap((event) =>
    event === null ? [] : [{
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
export async function insertEvents(
  tx: Transaction,
  ctx: Context,
  rows: readonly Readonly<Record<string, Cell>>[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = await tx.all<{ id: number }>(sql`${insertRows(outbox, rows)} RETURNING id`);
  announce(tx, ctx.database, ids[0]?.id as number);
}
