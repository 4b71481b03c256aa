/** Tells webhooks of certificates that expire soon. */

import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { NOTICE_WRITE_BATCH } from "../../../base/limits.ts";
import { insertRows, type Row, type Transaction } from "../../../db/mod.ts";
import { expiry_notices_passed } from "../../../db/schema/mod.ts";
import { EVERYTHING } from "../../../filters/mod.ts";
import { type EventNotice, recordNotices } from "../../../changes/mod.ts";
import { loadForChange, snapshot } from "../../../resource/mod.ts";
import { certificates } from "../mod.ts";
import type { WebhookEvent } from "../../webhooks/mod.ts";
import { type Judgement, judgeNotices } from "./judge.ts";
import { beginning, type Due, horizon, nextDue, type Search, stillDue } from "./select_due.ts";

const EVENT: WebhookEvent = "certificate_expiring";

/** What a run did. */
export interface NoticesRun {
  /** Events. */
  readonly announced: number;
  /** Thresholds that were passed without an event, because a nearer one was passed as well. */
  readonly passed_over: number;
}

/**
 * Emits `certificate_expiring` for each certificate and threshold that was passed, once: the note that it was goes
 * into the same transaction, which looks again, so that several nodes may do so at once. A batch of certificates
 * costs two statements, and five more for each part of it that is announced.
 * @param signal stops between two batches; the next run goes on.
 */
export async function announceExpiries(
  { ctx, signal }: { ctx: Context; signal?: AbortSignal | undefined },
): Promise<NoticesRun> {
  const { database, clock, settings } = ctx;
  const search: Search = { now: clock.now(), thresholds: settings.expiryNotices };
  const end = await horizon(database, search);
  const total = { announced: 0, passed_over: 0 };
  let after = beginning(search);
  while (!signal?.aborted) {
    const { due, last } = await nextDue(database, search, { after, end });
    for (let from = 0; from < due.length && !signal?.aborted; from += NOTICE_WRITE_BATCH) {
      const ids = due.slice(from, from + NOTICE_WRITE_BATCH).map((one) => one.id);
      const done = await database.write((tx) => announceSome({ ctx, tx, search, ids }));
      total.announced += done.announced;
      total.passed_over += done.passed_over;
      await othersTurn();
    }
    if (last === undefined) break;
    after = last;
    await othersTurn();
  }
  return total;
}

/** Requests are served between two parts of the work. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function announceSome(
  { ctx, tx, search, ids }: { ctx: Context; tx: Transaction; search: Search; ids: readonly number[] },
): Promise<NoticesRun> {
  const judged = (await stillDue(tx, search, ids)).map((due) => ({
    due,
    judgement: judgeNotices(due, search.now),
  }));
  const passing = judged.flatMap(({ due, judgement }) => passedRows(due, judgement, search));
  if (passing.length === 0) return { announced: 0, passed_over: 0 };
  await tx.runAll([notePassed(passing)]);
  const announced = judged.flatMap(({ due, judgement }) =>
    judgement.announced === undefined ? [] : [{ id: due.id, threshold: judgement.announced }]
  );
  const rows = await loadForChange(
    { ctx, tx, resource: certificates, allowed: EVERYTHING },
    announced.map(({ id }) => id),
  );
  const occasions = announced.map(({ id, threshold }) => occasionOf(rows.get(id) as Row, threshold));
  await recordNotices(tx, ctx, occasions);
  return { announced: occasions.length, passed_over: passing.length - occasions.length };
}

function passedRows({ id, validTo }: Due, { announced, passing }: Judgement, { now }: Search): Row[] {
  return passing.map((threshold) => ({
    certificate_id: id,
    threshold,
    valid_to: validTo,
    announced: Number(threshold === announced),
    passed_at: now,
  }));
}

/** What was noted of an earlier validity makes room. */
function notePassed(rows: readonly Row[]): SQL {
  return sql`${insertRows(expiry_notices_passed, rows)} ON CONFLICT (certificate_id, threshold)
    DO UPDATE SET valid_to = excluded.valid_to, announced = excluded.announced, passed_at = excluded.passed_at`;
}

function occasionOf(row: Row, threshold: string): EventNotice {
  return {
    event: EVENT,
    objectType: certificates.objectType,
    objectId: row.id as number,
    snapshot: snapshot(certificates, row),
    details: { threshold },
  };
}
